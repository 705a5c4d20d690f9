import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import type { LiveRelease } from "../../packaging/helm/liveReleases.ts";
import type { PlannedRelease } from "../store/changes.ts";
import { findVersions, listVersions, type VersionContent, type VersionOwner } from "../store/environmentVersions.ts";

/** The last version that Helm brought in whole. */
export type LastGood = VersionContent & { version: number; release: NonNullable<VersionContent["release"]> };

/** What Helm renders a release from, beside the cluster. */
export interface ReleaseInput {
  release: PlannedRelease;
  replicas?: Readonly<Record<string, number>> | undefined;
}

export async function findLastGood(owner: VersionOwner): Promise<LastGood | undefined> {
  const [newest] = await listVersions(owner, { limit: 1, consistent: true });
  if (newest === undefined) return undefined;
  const [content] = await findVersions(owner, [newest.revision]);
  const release = content?.release;
  return content && release && { ...content, release, version: newest.revision };
}

/**
 * Whether the release in the cluster was made from the same chart, values and counts (decisions 11.7). One that was
 * adopted is not what we would make of them: its pods lack our labels.
 */
export function standsAs(
  { release, replicas = {} }: ReleaseInput,
  lastGood: LastGood,
  newest: LiveRelease | undefined,
): boolean {
  return (
    newest?.status === "deployed" &&
    lastGood.release.adopted === undefined &&
    newest.revision === lastGood.release.revision &&
    release.chart.digest === lastGood.release.chart.digest &&
    isSameText(release.values, lastGood.release.values) &&
    JSON.stringify(Object.entries(replicas).sort()) === JSON.stringify(Object.entries(lastGood.replicas).sort())
  );
}

/** Longer texts are named by their digests. */
export function isSameText(a: StoredText, b: StoredText): boolean {
  if ("inline" in a) return "inline" in b && a.inline === b.inline;
  return !("inline" in b) && a.objectKey === b.objectKey;
}
