import { inc, maxSatisfying, valid } from "semver";

/**
 * The version of a chart that is meant: the very one, else the newest of a range; nothing means the newest that is no preview.
 * @returns undefined when none fits
 */
export function pickVersion(versions: readonly string[], wanted: string): string | undefined {
  const text = wanted.trim();
  if (versions.includes(text)) return text;
  const known = versions.filter((version) => valid(version, { loose: true }) !== null);
  return maxSatisfying(known, text === "" ? "*" : text, { loose: true }) ?? undefined;
}

/** The newest of them, previews included; undefined where none is a version. */
export function newestVersion(versions: readonly string[]): string | undefined {
  const known = versions.filter((version) => valid(version, { loose: true }) !== null);
  return maxSatisfying(known, "*", { loose: true, includePrerelease: true }) ?? undefined;
}

/** One patch more; of a preview the version that it is one of. */
export const followingVersion = (version: string): string => inc(version, "patch", { loose: true }) ?? "1.0.0";
