import { type Change, type Changes, environmentChanges, type PreviewObject } from "./environmentChanges.ts";
import { type EnvironmentDetail, environmentDetail, type Place } from "./environments.ts";
import type { components } from "./generated/api.ts";
import { type Slipway, taken } from "./index.ts";
import { SlipwayError, unlessMissing } from "./slipwayError.ts";

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

/** What a file holds; the service that it makes is named like it. */
export interface Manifest {
  /** Its name without folders, for messages. */
  file: string;
  yaml: string;
}

/**
 * Makes what manifests say true: the project, a service for each, and the test environment. What is right already stays
 * untouched; services that are not among them stay unless they are to be pruned. All manifests are checked before the first is
 * saved, and a project that was made for an environment that is refused goes again.
 * @param services name to manifest
 * @throws SlipwayError naming the files that Slipway refuses, when nothing was changed @throws what the applier throws
 */
export async function applyManifests(
  applier: Applier,
  services: ReadonlyMap<string, Manifest>,
  wanted: Wanted,
): Promise<ApplyReport> {
  const isThere = await hasProject(applier, wanted);
  if (!isThere && wanted.dryRun) applier.say(`project ${wanted.project}: would be made`);
  if (isThere || wanted.dryRun) return applyToProject(applier, services, wanted, isThere ? undefined : new Set());
  const first = new Map([...services].slice(0, mostInitialServices));
  await makeProject(applier, wanted, first);
  try {
    return await applyToProject(applier, services, wanted, new Set(first.keys()));
  } catch (error) {
    if (error instanceof SlipwayError && error.status >= 400 && error.status < 500) await takeBack(applier, wanted);
    throw error;
  }
}

/** @param made services of a project that was not there before; undefined for one that was */
async function applyToProject(
  applier: Applier,
  services: ReadonlyMap<string, Manifest>,
  wanted: Wanted,
  made: ReadonlySet<string> | undefined,
): Promise<ApplyReport> {
  const saved = await saveServices(applier, wanted, new Map([...services].filter(([name]) => !made?.has(name))));
  const environment = made === undefined ? await unlessMissing(environmentDetail(applier.slipway, wanted)) : undefined;
  const report = { project: wanted.project, env: wanted.env, dry_run: wanted.dryRun };
  const names = [...services.keys()];
  if (environment !== undefined)
    return { ...report, ...(await changeEnvironment(applier, wanted, { environment, names, saved })) };
  await createEnvironment(applier, wanted, names);
  return { ...report, created: names, changed: [], removed: [], unchanged: [], objects: [] };
}

async function hasProject({ slipway }: Applier, { project }: Wanted): Promise<boolean> {
  const params = { query: { projectKey: project } };
  return (await unlessMissing(taken(slipway.GET("/openapi/projects/project/detail", { params })))) !== undefined;
}

/** So many services may come with their project in one request. */
const mostInitialServices = 200;

/** A project with its services, or nothing. @throws SlipwayError naming files */
async function makeProject(
  applier: Applier,
  { project }: Wanted,
  services: ReadonlyMap<string, Manifest>,
): Promise<void> {
  const { slipway, say } = applier;
  const service_list = [...services].map(([service_name, { yaml }]) => ({
    service_name,
    source: "yaml" as const,
    yaml,
  }));
  const head = { project_key: project, project_name: project, is_public: false, project_type: "yaml" as const };
  try {
    await slipway.POST("/openapi/projects/project/init/yaml", { body: { ...head, service_list, env_list: [] } });
  } catch (error) {
    throw error instanceof SlipwayError ? namingFiles(error, services) : error;
  }
  say(`project ${project}: made`);
  for (const [name, { yaml }] of services) {
    say(`service ${name}: made`);
    told(applier, name, await lookAt(applier, project, { name, yaml, isNew: false }));
  }
}

async function takeBack({ slipway, say }: Applier, { project }: Wanted): Promise<void> {
  await slipway.DELETE("/openapi/projects/project", { params: { query: { projectKey: project, isDelete: "true" } } });
  say(`project ${project}: deleted again, because what follows was refused`);
}

async function storedServices({ slipway }: Applier, project: string): Promise<Set<string>> {
  const params = { query: { projectKey: project } };
  const answer = await unlessMissing(taken(slipway.GET("/openapi/service/yaml/services", { params })));
  const services = answer === undefined || Array.isArray(answer) ? (answer ?? []) : answer.service;
  return new Set(services.map(({ service_name }) => service_name));
}

/**
 * Checks all of them before the first is saved.
 * @returns of those that are not right already what would change where they are deployed
 * @throws SlipwayError naming every file that is refused
 */
async function saveServices(
  applier: Applier,
  { project, dryRun }: Wanted,
  services: ReadonlyMap<string, Manifest>,
): Promise<Map<string, PreviewObject[]>> {
  if (services.size === 0) return new Map();
  const stored = await storedServices(applier, project);
  const changes: ServiceChange[] = [];
  for (const [name, { yaml }] of services) {
    const isNew = !stored.has(name);
    if (isNew || (await storedText(applier, project, name)) !== yaml) changes.push({ name, yaml, isNew });
  }
  const looked = await lookAtAll(applier, project, changes, services);
  const saved = new Map<string, PreviewObject[]>();
  for (const change of changes) {
    const answer = dryRun ? (looked.get(change.name) ?? {}) : await save(applier, project, change);
    applier.say(`service ${change.name}: ${words[`${change.isNew}`][`${dryRun}`]}`);
    const objects = told(applier, change.name, answer);
    saved.set(change.name, change.isNew ? [] : objects);
  }
  return saved;
}

const words = {
  true: { true: "would be made", false: "made" },
  false: { true: "a revision would be saved", false: "a revision was saved" },
} as const;

/** A service that is not right yet. */
interface ServiceChange {
  name: string;
  yaml: string;
  isNew: boolean;
}

interface Answer {
  warnings?: components["schemas"]["Warning"][];
  objects?: PreviewObject[];
}

async function storedText({ slipway }: Applier, project: string, serviceName: string): Promise<string> {
  const params = { path: { serviceName }, query: { projectKey: project } };
  return (await taken(slipway.GET("/openapi/service/yaml/{serviceName}", { params }))).yaml;
}

/** What the server says of all of them. @throws SlipwayError naming every file that is refused */
async function lookAtAll(
  applier: Applier,
  project: string,
  changes: readonly ServiceChange[],
  services: ReadonlyMap<string, Manifest>,
): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  const refused = new Map<string, SlipwayError>();
  for (const change of changes) {
    try {
      answers.set(change.name, await lookAt(applier, project, change));
    } catch (error) {
      if (!(error instanceof SlipwayError) || error.status !== 400) throw error;
      refused.set(services.get(change.name)?.file ?? change.name, error);
    }
  }
  const [first] = refused.values();
  if (first === undefined) return answers;
  throw refusal(
    first,
    [...refused].map(([file, error]) => [file, reasonOf(error)]),
    services.size,
  );
}

/** Without saving it. Slipway cannot be asked about a service of a project that does not exist yet. */
async function lookAt(applier: Applier, project: string, change: ServiceChange): Promise<Answer> {
  return (await unlessMissing(save(applier, project, change, "true"))) ?? {};
}

async function save(
  { slipway }: Applier,
  project: string,
  { name, yaml, isNew }: ServiceChange,
  dryRun?: "true",
): Promise<Answer> {
  const query = { projectKey: project, ...(dryRun && { dryRun }) };
  if (isNew)
    return taken(slipway.POST("/openapi/service/yaml/raw", { params: { query }, body: { service_name: name, yaml } }));
  const params = { path: { serviceName: name }, query };
  return taken(slipway.PUT("/openapi/service/yaml/{serviceName}", { params, body: { type: "k8s", yaml } }));
}

const reasonOf = ({ problems, description, message }: SlipwayError): string =>
  problems.map(({ problem }) => problem).join("; ") || description || message;

/** What the creation of a project says of its services, by their files. */
function namingFiles(error: SlipwayError, services: ReadonlyMap<string, Manifest>): SlipwayError {
  const files = [...services.values()].map(({ file }) => file);
  const listed = error.problems.map(({ path, problem }): [string | undefined, string] => {
    const at = /^service_list\[(\d+)\]/.exec(path)?.[1];
    return [at === undefined ? undefined : files[Number(at)], problem];
  });
  const [, ...told] = error.description.split(/(?:^|; )service ([^\s:]+): /);
  const named = told.flatMap((name, at): [string | undefined, string][] =>
    at % 2 === 0 ? [[services.get(name)?.file, told[at + 1] ?? ""]] : [],
  );
  const found = listed.length > 0 ? listed : named;
  const isKnown = (one: [string | undefined, string]): one is [string, string] => one[0] !== undefined;
  return found.length > 0 && found.every(isKnown) ? refusal(error, found.filter(isKnown), services.size) : error;
}

/** @param reasons by file */
function refusal(error: SlipwayError, reasons: readonly [string, string][], files: number): SlipwayError {
  const { status, code, requestId } = error;
  const message = `nothing was changed: Slipway refuses ${reasons.length} of ${files} files`;
  const problems = reasons.map(([path, problem]) => ({ in: "file" as const, path, problem }));
  return new SlipwayError({ status, code, requestId, message, description: "", problems, cause: error });
}

function told({ say }: Applier, service: string, answer: Answer): PreviewObject[] {
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
