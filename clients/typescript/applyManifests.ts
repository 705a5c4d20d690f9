import { type Change, type Changes, environmentChanges, type PreviewObject } from "./environmentChanges.ts";
import { type EnvironmentDetail, environmentDetail, type Place } from "./environments.ts";
import type { components } from "./generated/api.ts";
import { type Slipway, taken } from "./index.ts";
import { SlipwayError } from "./slipwayError.ts";

export interface ApplyReport {
  project: string;
  env: string;
  dry_run: boolean;
  /** Services by what happens to them. */
  created: string[];
  changed: string[];
  removed: string[];
  unchanged: string[];
  /** What changes on the cluster; of an environment that is there only, as there is nothing to compare with before. */
  objects: PreviewObject[];
}

interface Wanted extends Place {
  namespace?: string | undefined;
  /** Removes services from the environment that the manifests do not have. */
  prune: boolean;
  /** Only says what would change. */
  dryRun: boolean;
}

/** Who applies: what it knows that the manifests do not say, and to whom it tells what happens. */
export interface Applier {
  slipway: Slipway;
  /** The id of the cluster of a new environment; asked for nothing else. */
  cluster(): Promise<string>;
  /** Waits until the environment takes another change. */
  untilChangeable(place: Place): Promise<void>;
  /** What was done or would be. */
  say(text: string): void;
  /** An object that is about to change, or would. */
  show(object: PreviewObject): void;
}

/**
 * Makes what manifests say true: the project, a service for each, and the test environment. What is right already stays
 * untouched; services that are not among them stay unless they are to be pruned.
 * @param services name to manifest
 * @throws SlipwayError @throws what the applier throws
 */
export async function applyManifests(
  applier: Applier,
  services: ReadonlyMap<string, string>,
  wanted: Wanted,
): Promise<ApplyReport> {
  const isThere = await makeProject(applier, wanted);
  const stored = isThere ? await storedServices(applier, wanted.project) : new Set<string>();
  const saved = new Map<string, PreviewObject[]>();
  for (const [name, yaml] of services) {
    const objects = await saveService(applier, wanted, { name, yaml, isNew: !stored.has(name) });
    if (objects !== undefined) saved.set(name, objects);
  }
  const environment = isThere ? await unlessMissing(environmentDetail(applier.slipway, wanted)) : undefined;
  const report = { project: wanted.project, env: wanted.env, dry_run: wanted.dryRun };
  const names = [...services.keys()];
  if (environment !== undefined)
    return { ...report, ...(await changeEnvironment(applier, wanted, { environment, names, saved })) };
  await createEnvironment(applier, wanted, names);
  return { ...report, created: names, changed: [], removed: [], unchanged: [], objects: [] };
}

/** What a reading answers, undefined where there is no such record. */
async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SlipwayError && error.status === 404) return undefined;
    throw error;
  }
}

/** @returns whether the project is there, now that it was made where it may be */
async function makeProject({ slipway, say }: Applier, { project, dryRun }: Wanted): Promise<boolean> {
  const params = { query: { projectKey: project } };
  const found = await unlessMissing(taken(slipway.GET("/openapi/projects/project/detail", { params })));
  if (found !== undefined) return true;
  const body = { project_key: project, project_name: project, is_public: false, project_type: "yaml" as const };
  if (!dryRun) await slipway.POST("/openapi/projects/project", { body });
  say(`project ${project}: ${dryRun ? "would be made" : "made"}`);
  return !dryRun;
}

async function storedServices({ slipway }: Applier, project: string): Promise<Set<string>> {
  const params = { query: { projectKey: project } };
  const answer = await taken(slipway.GET("/openapi/service/yaml/services", { params }));
  const services = Array.isArray(answer) ? answer : answer.service;
  return new Set(services.map(({ service_name }) => service_name));
}

/** @returns undefined when the service is right already; of a dry run what would change where it is deployed */
async function saveService(
  applier: Applier,
  { project, dryRun }: Wanted,
  { name, yaml, isNew }: { name: string; yaml: string; isNew: boolean },
): Promise<PreviewObject[] | undefined> {
  const { slipway, say } = applier;
  const query = { projectKey: project };
  if (isNew) {
    const body = { service_name: name, yaml };
    // Slipway cannot be asked about a service of a project that does not exist yet.
    const answer = dryRun ? {} : await taken(slipway.POST("/openapi/service/yaml/raw", { params: { query }, body }));
    say(`service ${name}: ${dryRun ? "would be made" : "made"}`);
    return told(applier, name, answer);
  }
  const path = { serviceName: name };
  const there = await taken(slipway.GET("/openapi/service/yaml/{serviceName}", { params: { path, query } }));
  if (there.yaml === yaml) return undefined;
  const answer = await taken(
    slipway.PUT("/openapi/service/yaml/{serviceName}", {
      params: { path, query: dryRun ? { ...query, dryRun: "true" } : query },
      body: { type: "k8s", yaml },
    }),
  );
  say(`service ${name}: ${dryRun ? "a revision would be saved" : "a revision was saved"}`);
  return told(applier, name, answer);
}

function told(
  { say }: Applier,
  service: string,
  answer: { warnings?: components["schemas"]["Warning"][]; objects?: PreviewObject[] },
): PreviewObject[] {
  for (const { line, message } of answer.warnings ?? []) say(`service ${service}, line ${line}: warning: ${message}`);
  return answer.objects ?? [];
}

async function createEnvironment(applier: Applier, wanted: Wanted, names: readonly string[]): Promise<void> {
  const { project, env, dryRun } = wanted;
  const body = async () => ({
    ...{ env_key: env, namespace: wanted.namespace ?? `${project}-${env}`, cluster_id: await applier.cluster() },
    services: names.map((service_name) => ({ service_name })),
  });
  const params = { query: { projectKey: project } };
  if (!dryRun) await applier.slipway.POST("/openapi/environments", { params, body: await body() });
  applier.say(`environment ${env}: ${dryRun ? "would be created" : "created"}`);
}

async function changeEnvironment(
  applier: Applier,
  wanted: Wanted,
  of: { environment: EnvironmentDetail; names: readonly string[]; saved: ReadonlyMap<string, PreviewObject[]> },
): Promise<Pick<ApplyReport, "created" | "changed" | "removed" | "unchanged" | "objects">> {
  const { names, saved } = of;
  const there = new Set(of.environment.services.map(({ service_name }) => service_name));
  const created = names.filter((name) => !there.has(name));
  const kept = names.filter((name) => there.has(name));
  const removed = wanted.prune ? [...there].filter((name) => !names.includes(name)) : [];
  const changes = environmentChanges(applier.slipway, wanted);
  // Of what a dry run did not save the environment knows nothing; the preview of saving it has told all.
  const isUnsaved = (name: string): boolean => wanted.dryRun && saved.has(name);
  const unsaved = kept.filter(isUnsaved).flatMap((name) => saved.get(name) ?? []);
  const updates = await changes.preview(
    "update",
    kept.filter((name) => !isUnsaved(name)),
  );
  const objects = [
    ...[...unsaved, ...updates],
    ...(await changes.preview(
      "add",
      created.filter((name) => !isUnsaved(name)),
    )),
    ...(await changes.preview("remove", removed)),
  ].filter(({ action }) => action !== "unchanged");
  for (const object of objects) applier.show(object);
  const isChanged = (name: string): boolean =>
    saved.has(name) || objects.some(({ service_name }) => service_name === name);
  const changed = kept.filter(isChanged);
  if (!wanted.dryRun) await carryOut(applier, wanted, changes, { remove: removed, update: changed, add: created });
  return { created, changed, removed, unchanged: kept.filter((name) => !isChanged(name)), objects };
}

/** One change after the other: an environment takes the next when the services of the last are applied. */
async function carryOut(
  applier: Applier,
  wanted: Wanted,
  changes: Changes,
  services: Readonly<Record<Change, readonly string[]>>,
): Promise<void> {
  for (const change of ["remove", "update", "add"] as const) {
    if (services[change].length === 0) continue;
    await applier.untilChangeable(wanted);
    await changes.carryOut(change, services[change]);
  }
}
