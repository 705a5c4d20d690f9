import { type components, taken } from "@slipway/client";
import { WrongUsage } from "./endings.ts";
import {
  type EnvironmentDetail,
  environmentDetail,
  type Place,
  unlessMissing,
  untilChangeable,
} from "./environment.ts";
import { type Change, type Changes, environmentChanges, type PreviewObject } from "./environmentChanges.ts";
import type { Manifests } from "./manifests.ts";
import type { Session } from "./session.ts";
import { note } from "./terminal/print.ts";
import { shownDiff } from "./terminal/words.ts";

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
  namespace?: string;
  cluster?: string;
  prune: boolean;
  dryRun: boolean;
  /** How long a change that is under way already may take. */
  seconds: number;
}

/**
 * Makes what a folder says true: the project, a service for each file, and the environment. What is right already stays
 * untouched; services that the folder lacks stay unless they are to be pruned.
 * @throws SlipwayError @throws WrongUsage when the cluster of a new environment is not clear @throws DeadlinePassed when
 * another change of the environment does not end
 */
export async function applyManifests(session: Session, manifests: Manifests, wanted: Wanted): Promise<ApplyReport> {
  const isThere = await makeProject(session, wanted);
  const stored = isThere ? await storedServices(session, wanted.project) : new Set<string>();
  const saved = new Map<string, PreviewObject[]>();
  for (const [name, yaml] of manifests.services) {
    const objects = await saveService(session, wanted, { name, yaml, isNew: !stored.has(name) });
    if (objects !== undefined) saved.set(name, objects);
  }
  const environment = isThere ? await unlessMissing(environmentDetail(session, wanted)) : undefined;
  const report = { project: wanted.project, env: wanted.env, dry_run: wanted.dryRun };
  const names = [...manifests.services.keys()];
  if (environment !== undefined)
    return { ...report, ...(await changeEnvironment(session, wanted, { environment, names, saved })) };
  if (!wanted.dryRun) await createEnvironment(session, wanted, names);
  return { ...report, created: names, changed: [], removed: [], unchanged: [], objects: [] };
}

/** @returns whether the project is there, now that it was made where it may be */
async function makeProject({ slipway }: Session, { project, dryRun }: Wanted): Promise<boolean> {
  const params = { query: { projectKey: project } };
  const found = await unlessMissing(taken(slipway.GET("/openapi/projects/project/detail", { params })));
  if (found !== undefined) return true;
  const body = { project_key: project, project_name: project, is_public: false, project_type: "yaml" as const };
  if (!dryRun) await slipway.POST("/openapi/projects/project", { body });
  note(`project ${project}: ${dryRun ? "would be made" : "made"}`);
  return !dryRun;
}

async function storedServices({ slipway }: Session, project: string): Promise<Set<string>> {
  const params = { query: { projectKey: project } };
  const answer = await taken(slipway.GET("/openapi/service/yaml/services", { params }));
  const services = Array.isArray(answer) ? answer : answer.service;
  return new Set(services.map(({ service_name }) => service_name));
}

/** @returns undefined when the service is right already; of a dry run what would change where it is deployed */
async function saveService(
  { slipway }: Session,
  { project, dryRun }: Wanted,
  { name, yaml, isNew }: { name: string; yaml: string; isNew: boolean },
): Promise<PreviewObject[] | undefined> {
  const query = { projectKey: project };
  if (isNew) {
    const body = { service_name: name, yaml };
    // Nobody can be asked about a service of a project that is not there yet.
    const answer = dryRun ? {} : await taken(slipway.POST("/openapi/service/yaml/raw", { params: { query }, body }));
    note(`service ${name}: ${dryRun ? "would be made" : "made"}`);
    return told(name, answer);
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
  note(`service ${name}: ${dryRun ? "a revision would be saved" : "a revision was saved"}`);
  return told(name, answer);
}

function told(
  service: string,
  answer: { warnings?: components["schemas"]["Warning"][]; objects?: PreviewObject[] },
): PreviewObject[] {
  for (const { line, message } of answer.warnings ?? []) note(`service ${service}, line ${line}: warning: ${message}`);
  return answer.objects ?? [];
}

async function createEnvironment(session: Session, wanted: Wanted, names: readonly string[]): Promise<void> {
  const { project, env } = wanted;
  await session.slipway.POST("/openapi/environments", {
    params: { query: { projectKey: project } },
    body: {
      env_key: env,
      namespace: wanted.namespace ?? `${project}-${env}`,
      cluster_id: await clusterId(session, wanted.cluster),
      services: names.map((service_name) => ({ service_name })),
    },
  });
  note(`environment ${env}: created`);
}

async function clusterId({ slipway }: Session, named: string | undefined): Promise<string> {
  const clusters = await taken(slipway.GET("/openapi/system/cluster"));
  const [only, ...others] = clusters.filter(({ name }) => named === undefined || name === named);
  if (only !== undefined && others.length === 0) return only.cluster_id;
  const known = clusters.map(({ name }) => name).join(", ");
  if (named === undefined) throw new WrongUsage(`there are several clusters (${known}): choose one with --cluster`);
  throw new WrongUsage(`there is no cluster ${named}; known are ${known}`);
}

async function changeEnvironment(
  session: Session,
  wanted: Wanted,
  of: { environment: EnvironmentDetail; names: readonly string[]; saved: ReadonlyMap<string, PreviewObject[]> },
): Promise<Pick<ApplyReport, "created" | "changed" | "removed" | "unchanged" | "objects">> {
  const { names, saved } = of;
  const there = new Set(of.environment.services.map(({ service_name }) => service_name));
  const created = names.filter((name) => !there.has(name));
  const kept = names.filter((name) => there.has(name));
  const removed = wanted.prune ? [...there].filter((name) => !names.includes(name)) : [];
  const changes = environmentChanges(session, wanted);
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
  for (const object of objects) note(shownObject(object));
  const isChanged = (name: string): boolean =>
    saved.has(name) || objects.some(({ service_name }) => service_name === name);
  const changed = kept.filter(isChanged);
  if (!wanted.dryRun) await carryOut(session, wanted, changes, { remove: removed, update: changed, add: created });
  return { created, changed, removed, unchanged: kept.filter((name) => !isChanged(name)), objects };
}

/** One change after the other: an environment takes the next when the services of the last are applied. */
async function carryOut(
  session: Session,
  wanted: Wanted,
  changes: Changes,
  services: Readonly<Record<Change, readonly string[]>>,
): Promise<void> {
  for (const change of ["remove", "update", "add"] as const) {
    if (services[change].length === 0) continue;
    await untilChangeable(session, wanted, wanted.seconds);
    await changes.carryOut(change, services[change]);
  }
}

/** What comes or goes as a whole needs no difference to be understood. */
function shownObject({ action, kind, name, diff }: PreviewObject): string {
  return `${action} ${kind} ${name}${action === "change" ? `\n${shownDiff(diff)}` : ""}`;
}
