import type { GitEvent, QuietEvent } from "../../../integrations/rules/codeHosts/gitEvent.ts";
import { fitsGlob } from "../rules/glob.ts";
import { untouched } from "../rules/pathFilter.ts";
import type { GitTrigger } from "../rules/trigger.ts";
import { isFound } from "./regularExpression.ts";

type Listener = Pick<GitTrigger, "enabled" | "events" | "branch" | "isRegular" | "folders" | "allowsForks">;

/**
 * What a trigger makes of what happened in its repository (decisions 19.5): it starts a task; it does not, and a delivery
 * says why; or it is not concerned. A push or a tag concerns all that listen to the repository, a pull request those that
 * listen to one.
 */
export function verdictOn(
  trigger: Listener,
  happened: GitEvent | QuietEvent,
): "starts" | "not concerned" | { problem: string } {
  const problem = refusal(trigger, happened);
  if (problem === undefined) return "starts";
  const isConcerned = !isPullRequest(happened.event) || trigger.events.some(isPullRequest);
  return trigger.enabled && isConcerned ? { problem } : "not concerned";
}

function refusal(trigger: Listener, happened: GitEvent | QuietEvent): string | undefined {
  if ("quiet" in happened) return happened.quiet;
  return ignoreReason(trigger, happened) ?? skipped(happened) ?? foreign(trigger, happened);
}

/** As GitHub and GitLab have it: in any case of its letters, and in the head commit alone. */
function skipped({ event, commit, headMessage }: GitEvent): string | undefined {
  const found = /\[(?:skip ci|ci skip)\]/i.exec(headMessage)?.[0];
  if (found === undefined || event === "pull_request_merged") return undefined;
  return `the message of commit ${commit.slice(0, 12)} says ${found}`;
}

/** What is merged is in the repository itself. */
function foreign({ allowsForks }: Listener, { event, fork, pullRequest }: GitEvent): string | undefined {
  if (fork === "" || allowsForks === true || event === "pull_request_merged") return undefined;
  return `pull request ${pullRequest} comes from the fork ${fork}; with allow_forks: true such code runs with the credentials of the workflow`;
}

function isPullRequest(event: string): boolean {
  return event.startsWith("pull_request");
}

type Filters = Pick<GitTrigger, "events" | "branch" | "isRegular" | "folders">;

/** Why a trigger does not listen to what happened; undefined when it does. */
export function ignoreReason(
  { events, branch, isRegular, folders }: Filters,
  happened: Pick<GitEvent, "event" | "branch" | "target" | "files">,
): string | undefined {
  const { event, files } = happened;
  const isOpen = event === "pull_request_opened" || event === "pull_request_updated";
  if (!events.includes(event) && !(isOpen && events.includes("pull_request"))) return `it does not listen to ${event}`;
  const meant = happened.target || happened.branch;
  if (event !== "tag" && branch !== "") {
    const problem = branchDiffers(branch, isRegular === true, meant);
    if (problem !== undefined) return problem;
  }
  // A push of more commits than the code host tells of counts as one that changes everything; of pull requests it is asked later.
  return files && untouched(folders, files);
}

function branchDiffers(filter: string, isRegular: boolean, branch: string): string | undefined {
  try {
    if (isRegular ? isFound(filter, branch) : fitsGlob(filter, branch)) return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return `branch ${branch} is not ${filter}`;
}
