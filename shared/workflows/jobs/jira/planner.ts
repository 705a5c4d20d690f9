import { ApiError } from "../../../base/errors/apiError.ts";
import { issueTrackers } from "../../../integrations/store/issueTrackers.ts";
import { plannedIntegration } from "../outside/plannedIntegration.ts";
import type { JobPlanner } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { kind as jira } from "./kind.ts";

export const jiraSort = { noun: "Jira", records: issueTrackers };

/** What the runner needs to move issues. */
export interface JiraRun {
  trackerId: string;
  /** Finds the issues where none is named. */
  jql: string;
  issues: { key: string; target: string }[];
  target: string;
}

/** Issues of Jira: one job task. */
export const planner: JobPlanner = {
  expand: async (job, { project }) => {
    const { jira_id: id, issues, query_type, jql, target_status, project_id, issue_type } = readSpec(jira, job);
    await plannedIntegration(jiraSort, { job: job.name, field: "jira_id", id, projectKey: project.key });
    const wrong = (problem: string) => new ApiError(6160, `job ${job.name} ${problem}`);
    const searched = issues.length === 0 && query_type === "advanced" ? (jql ?? "") : "";
    if (issues.length === 0 && searched === "")
      throw wrong("names no issue: set issues, or query_type to advanced and jql");
    const run: JiraRun = {
      ...{ trackerId: id, jql: searched, target: target_status ?? "" },
      issues: issues.map(({ key, target_status: own }) => ({ key, target: own || target_status || "" })),
    };
    const aimless = run.issues.find(({ target }) => target === "");
    if (aimless !== undefined || (searched !== "" && run.target === ""))
      throw wrong(`says no status${aimless === undefined ? "" : ` for issue ${aimless.key}`}: set target_status`);
    const shown = issues.map((issue, at) => ({
      ...{ key: issue.key, name: issue.name ?? "", current_status: "", target_status: run.issues[at]?.target ?? "" },
      ...{ status: "", link: "" },
    }));
    return [
      {
        parts: [],
        spec: {
          ...{ project_id: project_id ?? "", jira_id: id, issue_type: issue_type ?? "", issues: shown },
          ...{ target_status: run.target, field_mappings: [] },
        },
        run: { ...run },
        timeoutMinutes: 0,
      },
    ];
  },
};
