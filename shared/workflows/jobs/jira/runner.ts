import { nowSeconds } from "../../../base/store/ids.ts";
import {
  isStatus,
  jiraServer,
  mostIssues,
  moveIssue,
  readIssue,
  searchIssues,
} from "../../../integrations/jira/jira.ts";
import type { Server } from "../../../integrations/server/callServer.ts";
import { ServerRefused } from "../../../integrations/server/serverErrors.ts";
import { type Tree, treesOf } from "../../../manifest/tree.ts";
import { openIntegration } from "../outside/openIntegration.ts";
import { outsideRunner } from "../outside/outsideRunner.ts";
import type { OutsideWork } from "../outside/outsideWork.ts";
import { failed, type JobRun, passed, stopped } from "../runner.ts";
import { type JiraRun, jiraSort } from "./planner.ts";

/** Nothing: an issue that was moved is where it should be when a call is repeated. */
type Moving = Record<never, never>;

/** Moves each issue to its status; one that is there stays. Issues that cannot be moved fail the job, after the others (contract W 5). */
export const runner = outsideRunner<Moving>({
  prepare: async ({ spec }) => ({ issues: spec.issues }),
  work: async (run, outside) => {
    const { jql, target, issues: listed } = run.run as unknown as JiraRun;
    const jira = await serverOf(run, outside);
    const found = jql === "" ? [] : await searchIssues(jira, jql);
    if (found.length === mostIssues) return failed(`the query finds ${mostIssues} issues or more: narrow it`);
    const issues = jql === "" ? listed : found.map(({ key }) => ({ key, target }));
    if (issues.length === 0) outside.say(`no issue is found by ${jql}`);
    const shown: Tree[] = issues.map(({ key }, at) => ({ key, ...treesOf(outside.result.issues)[at] }));
    const bad: string[] = [];
    for (const [at, issue] of issues.entries()) {
      if (!(await outside.isWanted())) return stopped(nowSeconds() >= run.deadline ? "timeout" : "cancelled");
      const { error, ...became } = await moved(jira, issue, outside);
      if (error !== "") bad.push(error);
      shown[at] = { ...shown[at], ...became };
      outside.result = { ...outside.result, issues: [...shown] };
    }
    const outputs = { MOVED: String(shown.filter(({ status }) => status === "passed").length) };
    return bad.length === 0 ? passed({ outputs }) : failed(bad.join("; "), { outputs });
  },
});

async function serverOf({ run, task }: JobRun, outside: OutsideWork<Moving>): Promise<Server> {
  const record = await openIntegration(jiraSort, (run as unknown as JiraRun).trackerId, task.owner.projectKey);
  outside.hide(record.secrets);
  const { host, user, authType } = record.shown;
  const isPersonal = authType === "personal_access_token";
  const token = record.secretOf(isPersonal ? "jira_personal_access_token" : "jira_token");
  return jiraServer({ host, user: isPersonal ? undefined : user, token });
}

/** What became of an issue, as task detail shows it, and why it was not moved. */
async function moved(
  jira: Server,
  { key, target }: { key: string; target: string },
  outside: OutsideWork<Moving>,
): Promise<Tree & { error: string }> {
  const link = `${jira.address.replace(/\/+$/, "")}/browse/${key}`;
  const became = { key, current_status: "", target_status: target, link };
  try {
    const issue = await readIssue(jira, key);
    Object.assign(became, { name: issue.name, current_status: issue.status });
    const isThere = isStatus(issue.status, target);
    if (!isThere) await moveIssue(jira, issue, target);
    outside.say(isThere ? `${key} is ${issue.status} already` : `${key} was ${issue.status}, and is ${target}`);
    return { ...became, status: "passed", error: "" };
  } catch (error) {
    if (!(error instanceof ServerRefused)) throw error;
    outside.say(error.message);
    return { ...became, status: "failed", error: error.message };
  }
}
