import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import { keys, versionPrefix } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { create, remove, type Write } from "../../base/store/writes.ts";
import type { ServiceContainer } from "../../manifest/containers.ts";
import type { EnvironmentVariable } from "../../manifest/variables/environmentVariables.ts";
import type { PlannedRelease } from "./changes.ts";

export type VersionOperation = "create" | "update" | "image" | "rollback" | "deploy";

/** What a list shows of a version of a service in an environment (decisions 6.7). */
export interface VersionSummary {
  revision: number;
  createBy: string;
  createTime: number;
  operation: VersionOperation;
  images: string[];
  /** The task of a workflow that deployed it. */
  workflowKey?: string;
  taskId?: number;
}

/** What a service was in an environment: image, variables and manifest together (contract P 16.5). */
export interface VersionContent {
  serviceRevision: number;
  text: StoredText;
  variables: EnvironmentVariable[];
  containers: ServiceContainer[];
  changedImages: Record<string, string>;
  replicas: Record<string, number>;
  /** Of a chart: what the release was, and its revision in Helm's own count. */
  release?: PlannedRelease & { revision: number };
}

export interface VersionOwner {
  projectKey: string;
  envKey: string;
  service: string;
}

export const keptVersions = 20;

/** Newest first. They outlive the service in its environment: one that comes back goes on counting. */
export function listVersions(
  { projectKey, envKey, service }: VersionOwner,
  options: { limit?: number; consistent?: boolean } = {},
): Promise<Item<VersionSummary>[]> {
  const { pk } = keys.environment(projectKey, envKey);
  return table().query<VersionSummary>({ pk, prefix: versionPrefix(service), descending: true, ...options });
}

/** Versions of every service that an environment has or had, oldest first within each; as they were a moment ago. */
export async function versionsByService(projectKey: string, envKey: string): Promise<Map<string, VersionSummary[]>> {
  const { pk } = keys.environment(projectKey, envKey);
  const items = await table().query<VersionSummary>({ pk, prefix: versionPrefix(), consistent: false });
  const found = new Map<string, VersionSummary[]>();
  for (const item of items) {
    const service = item.sk.slice(versionPrefix().length, item.sk.lastIndexOf("#"));
    found.set(service, [...(found.get(service) ?? []), item]);
  }
  return found;
}

/** Removes versions; may be repeated. A rollback to one at the same moment has read it, or fails because it is gone. */
export async function removeVersions(
  { projectKey, envKey, service }: VersionOwner,
  revisions: readonly number[],
): Promise<void> {
  if (revisions.length === 0) return;
  const gone = revisions
    .slice(0, 2 * keptVersions)
    .flatMap((revision) => [
      remove(keys.environmentVersion(projectKey, envKey, service, revision)),
      remove(keys.environmentVersionContent(projectKey, envKey, service, revision)),
    ]);
  await table().write(...gone);
}

/** The contents of the named versions in their order, in one round trip; undefined for one that is not kept. */
export async function findVersions(
  { projectKey, envKey, service }: VersionOwner,
  revisions: readonly number[],
): Promise<(Item<VersionContent> | undefined)[]> {
  const wanted = revisions.map((revision) => keys.environmentVersionContent(projectKey, envKey, service, revision));
  const distinct = [...new Map(wanted.map((key) => [key.sk, key])).values()];
  const found = await table().getMany<VersionContent>(distinct, { consistent: false });
  return wanted.map(({ sk }) => found.find((item) => item.sk === sk));
}

/** The number that the next version will have. */
export async function nextVersion(owner: VersionOwner): Promise<number> {
  const [newest] = await listVersions(owner, { limit: 1, consistent: true });
  return (newest?.revision ?? 0) + 1;
}

/** Stores a version and takes the one away that is too old. The first write fails when the number is taken. */
export function versionWrites(
  { projectKey, envKey, service }: VersionOwner,
  summary: VersionSummary,
  content: VersionContent,
): Write[] {
  const at = (revision: number) => keys.environmentVersion(projectKey, envKey, service, revision);
  const contentAt = (revision: number) => keys.environmentVersionContent(projectKey, envKey, service, revision);
  const { revision } = summary;
  const old = revision - keptVersions;
  return [
    create({ ...at(revision), type: "environment-version", ...summary }),
    create({ ...contentAt(revision), type: "environment-version-content", ...content }),
    ...(old > 0 ? [remove(at(old)), remove(contentAt(old))] : []),
  ];
}
