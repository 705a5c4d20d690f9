import type { GitTrigger } from "../rules/trigger.ts";
import type { GitEvent } from "./gitEvent.ts";

type Filters = Pick<GitTrigger, "events" | "branch" | "folders">;

/** Why a trigger does not listen to what happened; undefined when it does. */
export function deafness({ events, branch, folders }: Filters, happened: GitEvent): string | undefined {
  const { event, files } = happened;
  const isOpen = event === "pull_request_opened" || event === "pull_request_updated";
  if (!events.includes(event) && !(isOpen && events.includes("pull_request"))) return `it does not listen to ${event}`;
  const meant = happened.target || happened.branch;
  if (event !== "tag" && branch !== "" && !fits(branch, meant)) return `branch ${meant} is not ${branch}`;
  // A push of more commits than the code host tells of counts as one that changes everything; of pull requests it is asked later.
  return files && untouched(folders, files);
}

/** Why none of the changed files is meant; undefined when one is. @param folders those with `!` do not count; empty: every one */
export function untouched(folders: readonly string[], files: readonly string[]): string | undefined {
  if (folders.length === 0) return undefined;
  const [out, within] = [folders.filter(isExclusion), folders.filter((one) => !isExclusion(one))];
  const counts = files.some(
    (file) =>
      (within.length === 0 || within.some((one) => isBelow(one, file))) &&
      !out.some((one) => isBelow(one.slice(1), file)),
  );
  return counts ? undefined : `none of the changed files is in ${folders.join(", ")}`;
}

const isExclusion = (pattern: string): boolean => pattern.startsWith("!");

/** A file, a folder with all that is in it, or a pattern with `*`. */
function isBelow(pattern: string, file: string): boolean {
  const path = pattern.replace(/^\/+|\/+$/g, "");
  return path === "" || file === path || file.startsWith(`${path}/`) || (path.includes("*") && fits(path, file));
}

/** `*` is any text. Without regular expressions: patterns come from users. */
function fits(pattern: string, value: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return value === pattern;
  if (!value.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return value.length - last.length >= from && value.endsWith(last);
}
