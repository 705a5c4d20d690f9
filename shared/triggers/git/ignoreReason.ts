import { fitsGlob } from "../rules/glob.ts";
import { untouched } from "../rules/pathFilter.ts";
import type { GitTrigger } from "../rules/trigger.ts";
import type { GitEvent } from "./gitEvent.ts";
import { isFound } from "./regularExpression.ts";

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
