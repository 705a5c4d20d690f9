import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { unifiedDiff } from "../../base/common/unifiedDiff.ts";
import { notFound } from "../../base/errors/apiError.ts";
import { maskedManifests } from "../../kube/live/maskedManifest.ts";
import { type EnvironmentName, environmentMissing } from "../requireEnvironment.ts";
import { findEnvironment } from "../store/environments.ts";
import {
  findVersions,
  listVersions,
  type VersionContent,
  type VersionOwner,
  type VersionSummary,
} from "../store/environmentVersions.ts";

/** The versions of a service in its environment, newest first (decisions 6.7). @throws ApiError 404 */
export async function serviceVersions(name: EnvironmentName, service: string): Promise<VersionSummary[]> {
  const [environment, versions] = await Promise.all([
    findEnvironment(name.projectKey, name.envKey, { consistent: false }),
    listVersions(ownerOf(name, service)),
  ]);
  if (environment?.production !== name.production) throw environmentMissing(name);
  if (versions.length === 0) throw notFound(`service ${service} in environment ${name.envKey}`);
  return versions;
}

/**
 * What differs from version `a` to version `b` as a unified diff of the manifests; empty when nothing does. Values of
 * Secrets never appear: those that differ are only marked.
 * @throws ApiError 404
 */
export async function diffVersions(name: EnvironmentName, service: string, a: number, b: number): Promise<string> {
  const environment = await findEnvironment(name.projectKey, name.envKey, { consistent: false });
  if (environment?.production !== name.production) throw environmentMissing(name);
  const [before = "", after = ""] = await textsOf(name, service, [a, b]);
  const shown = maskedManifests(before, after);
  return unifiedDiff(shown.before, shown.after, {
    before: `${service} version ${a}`,
    after: `${service} version ${b}`,
  });
}

export async function requireVersion(
  name: EnvironmentName,
  service: string,
  revision: number,
): Promise<VersionContent> {
  const [version] = await requireVersions(name, service, [revision]);
  if (version === undefined) throw new Error("a version that is required is there");
  return version;
}

async function requireVersions(
  name: EnvironmentName,
  service: string,
  revisions: readonly number[],
): Promise<VersionContent[]> {
  const found = await findVersions(ownerOf(name, service), revisions);
  return found.map((version, position) => {
    if (version !== undefined) return version;
    throw notFound(`version ${revisions[position]} of service ${service} in environment ${name.envKey}`);
  });
}

export function ownerOf({ projectKey, envKey }: EnvironmentName, service: string): VersionOwner {
  return { projectKey, envKey, service };
}

async function textsOf(name: EnvironmentName, service: string, revisions: readonly number[]): Promise<string[]> {
  const versions = await requireVersions(name, service, revisions);
  return Promise.all(versions.map(({ text }) => readStoredText(text)));
}
