import { openStatuses } from "./rules/version.ts";
import { findWholeVersion, type WholeVersion } from "./store/versions.ts";

/** One execution of the machine `delivery-version`: the steps of an older one no longer do anything. */
export interface Attempt {
  versionId: string;
  attempt: number;
}

/** The version that an execution works on; undefined when another execution does, or the version has ended. */
export async function currentVersion({ versionId, attempt }: Attempt): Promise<WholeVersion | undefined> {
  const whole = await findWholeVersion(versionId);
  const isCurrent = whole?.version.attempt === attempt && openStatuses.includes(whole.version.status);
  return isCurrent ? whole : undefined;
}
