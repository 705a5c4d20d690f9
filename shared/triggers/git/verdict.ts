import type { GitTrigger } from "../rules/trigger.ts";
import type { GitEvent, QuietEvent } from "./gitEvent.ts";
import { ignoreReason } from "./ignoreReason.ts";

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
