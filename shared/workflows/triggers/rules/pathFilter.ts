import { fitsGlob } from "./glob.ts";

const isExclusion = (pattern: string): boolean => pattern.startsWith("!");

/** Without the parts that mean nothing: slashes at both ends, `./`; the root of the repository is empty. */
function pathOf(pattern: string): string {
  const path = isExclusion(pattern) ? pattern.slice(1) : pattern;
  const parts = path.split("/").filter((part) => part !== ".");
  return parts.join("/").replace(/^\/+|\/+$/g, "");
}

/** Why none of the changed files is meant; undefined when one is. @param folders those with `!` do not count; empty: every one */
export function untouched(folders: readonly string[], files: readonly string[]): string | undefined {
  if (folders.length === 0) return undefined;
  const [out, within] = [folders.filter(isExclusion), folders.filter((one) => !isExclusion(one))];
  const isBelow = (pattern: string, file: string) => fitsGlob(pathOf(pattern), file, { folders: true });
  const counts = files.some(
    (file) =>
      (within.length === 0 || within.some((one) => isBelow(one, file))) && !out.some((one) => isBelow(one, file)),
  );
  return counts ? undefined : `none of the changed files is in ${folders.join(", ")}`;
}

/**
 * What is wrong with patterns of files, by their place: those that no file of a repository can fit (decisions 19.4).
 * @returns pairs of place and sentence
 */
export function pathProblems(folders: readonly string[]): (readonly [number, string])[] {
  const out = folders.filter(isExclusion);
  return folders.flatMap((pattern, at) => {
    const problem = patternProblem(pattern) ?? (isExclusion(pattern) ? undefined : exclusionOf(pattern, out));
    return problem === undefined ? [] : [[at, problem] as const];
  });
}

function patternProblem(pattern: string): string | undefined {
  const path = pathOf(pattern);
  if (/\\|\p{Cc}/u.test(path)) return "holds a backslash or a control character; folders are separated by /";
  if (path.split("/").includes("..")) return "holds .., which no file of a repository has in its path";
  if (path.includes("//")) return "holds //, which no path has";
  if (/\{[^{}]*,[^{}]*\}/.test(path)) return "holds {…,…}; name each one in an entry of its own";
  if (path.startsWith("!")) return "begins with more than one !";
  if (isExclusion(pattern) && /^\**$/.test(path)) return "takes out every file, so that nothing can start";
  return undefined;
}

/** Why nothing of a pattern is left by those that take out. */
function exclusionOf(pattern: string, out: readonly string[]): string | undefined {
  const path = pathOf(pattern);
  const covering = out.find((one) => {
    const taken = pathOf(one);
    return taken === path || (taken !== "" && !/[*?]/.test(taken) && path.startsWith(`${taken}/`));
  });
  return covering && `can fit no file: ${covering} takes out all of it`;
}
