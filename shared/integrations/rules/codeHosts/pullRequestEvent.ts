import type { GitEvent, QuietEvent } from "./gitEvent.ts";

/** What became of a pull request: one that is opened again is opened, and brings no commits. */
export type Change = "opened" | "opened again" | "updated" | "merged";

export const pullRequestEvents = {
  opened: "pull_request_opened",
  "opened again": "pull_request_opened",
  updated: "pull_request_updated",
  merged: "pull_request_merged",
} as const satisfies Record<Change, GitEvent["event"]>;

/** A pull request of which something else changed, in the code host's words. */
export function quietPull(pullRequestNumber: number, words: string): QuietEvent {
  return {
    event: "pull_request",
    quiet: `pull request ${pullRequestNumber} has no new commits (${words || "no action"})`,
  };
}
