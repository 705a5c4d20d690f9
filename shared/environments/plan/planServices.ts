import { isDeepStrictEqual } from "node:util";
import { type StoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { mapBounded } from "../../base/common/mapBounded.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import type { Bounds } from "../../kube/bounds.ts";
import { extractContainers } from "../../manifest/containers.ts";
import { InsertionError } from "../../manifest/edit/insertionRule.ts";
import type { ManifestWarning } from "../../manifest/manifestWarning.ts";
import { type RenderContext, RenderError, renderService } from "../../manifest/renderService.ts";
import { keepReplicas, replicasVariable } from "../../manifest/replicas.ts";
import { isDefinition } from "../../manifest/schema/isDefinition.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import {
  type EnvironmentGlobal,
  type EnvironmentVariable,
  type SentVariable,
  settleVariables,
} from "../../manifest/variables/environmentVariables.ts";
import { refuseWarnings } from "../../projects/services/prepareService.ts";
import { findServices, type ServiceRecord } from "../../projects/services/store/services.ts";
import { EnvironmentProblem, reasonOf } from "../failures.ts";
import { planRelease } from "../helm/planRelease.ts";
import type { ServicePlan } from "../store/changes.ts";
import type { EnvironmentService } from "../store/environments.ts";
import { admitPlans } from "./admitPlans.ts";
import { imagesInForce } from "./imagesInForce.ts";

/** A service as a caller asks for it. */
export interface ServiceRequest {
  name: string;
  variables: readonly SentVariable[];
  /** Images by container; they replace those of the YAML. */
  containers?: readonly { name: string; image: string }[] | undefined;
  /** Of a chart: values for this environment; absent keeps those in force. */
  valuesYaml?: string | undefined;
  /** They are laid over those in force instead of replacing them. */
  mergesValues?: boolean;
  /** Of a chart: single values over `valuesYaml`. */
  overrideKvs?: readonly { key: string; value: unknown }[] | undefined;
  /** Of a chart: the existing release is taken over, or nothing is brought into the cluster (contract P 16.3). */
  strategy?: "import" | "draft" | undefined;
}

/** A plan with the objects it was rendered to, before the text is stored. */
export interface RenderedPlan {
  plan: Omit<ServicePlan, "text">;
  text: string;
  objects: KubeObject[];
  /** What is not in order in the YAML, and what was asked for without effect. */
  warnings: PlanWarning[];
  /** What it was admitted by. */
  bounds?: Bounds;
  /** For a preview, by `workloadKey`: what a workload keeps although its text says something else. */
  notes?: Readonly<Record<string, string>>;
  /** Of a chart: by the images that it names, hooks included, those that would run. Absent where they are not known. */
  chartImages?: Readonly<Record<string, string>> | undefined;
  /** Of a chart: the pins of what is deployed. */
  standingPins?: Readonly<Record<string, string>> | undefined;
}

export interface PlanWarning {
  code: ManifestWarning["code"] | "image_kept" | "other_namespace" | "rolled_back" | "definition_kept" | "object_kept";
  message: string;
  /** Of the rendered text; 0 for what is no matter of the text. */
  line: number;
}

export interface PlanTarget {
  projectKey: string;
  production: boolean;
  envKey: string;
  namespace: string;
  clusterName: string;
  globals: readonly EnvironmentGlobal[];
  /** Of charts: values that each of them gets. */
  defaultValues?: StoredText | undefined;
  /** Whether a flag without its global variable goes back to false (add, update) or is an error (contract P 12.3). */
  unknownGlobal: "reset" | "refuse";
  /** What its objects may be. */
  bounds: Bounds;
  /** Where the environment is, or will be; without it no chart can be planned. */
  place?: { environmentId: string; clusterId: string };
  /** Rendered instead of the newest revisions. */
  definitions?: ReadonlyMap<string, ServiceRecord>;
}

/**
 * Decides what each service will be: the newest revision, its variables by contract P 12.3, its images by P 13.6, and
 * the resulting text. What is decided here is applied later as it is.
 * @param current services that are in the environment already, by name
 * @throws EnvironmentProblem or ApiError 6045 naming everything that is wrong with any of them; UnknownService when all
 * that is wrong is that services are unknown; ImagesRefused for images without the signatures that the project demands
 */
export async function planServices(
  target: PlanTarget,
  requests: readonly ServiceRequest[],
  current: ReadonlyMap<string, EnvironmentService>,
): Promise<RenderedPlan[]> {
  const kind = target.production ? "production" : "test";
  const names = requests.map((request) => request.name);
  const records = target.definitions ?? (await findServices(target.projectKey, kind, names));
  const refused: Error[] = [];
  const plans = await mapBounded(requests, releasesAtOnce, async (request) => {
    try {
      const record = records.get(request.name);
      if (record === undefined) throw UnknownService.named(request.name, target.projectKey, kind);
      return await named(request.name, () => planOf(target, request, record, current.get(request.name)));
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof EnvironmentProblem)) throw error;
      refused.push(error);
      return undefined;
    }
  });
  if (refused.length > 0) throw joined(refused);
  const asked = new Set(requests.flatMap(({ containers = [] }) => containers.map(({ image }) => image)));
  const planned = plans.filter((plan) => plan !== undefined);
  return admitPlans(target, planned, asked);
}

/** Each of them is a process of its own while it is rendered. */
const releasesAtOnce = 4;

async function planOf(
  target: PlanTarget,
  request: ServiceRequest,
  record: ServiceRecord,
  current: EnvironmentService | undefined,
): Promise<RenderedPlan> {
  const { chart } = record;
  if (chart === undefined) return planOne(target, request, record, current);
  return planRelease(target, request, { ...record, chart }, current);
}

/** One error for all of them, of the gravest kind. */
function joined(errors: readonly Error[]): Error {
  const messages = errors.map((error) => (error instanceof ApiError ? error.description : error.message)).join("; ");
  const coded = errors.find((error) => error instanceof ApiError);
  if (coded !== undefined) return new ApiError(coded.code, messages);
  if (errors.every((error) => error instanceof UnknownService)) return new UnknownService(messages);
  return new EnvironmentProblem(messages);
}

/**
 * A request names only variables and containers that are there.
 * @throws EnvironmentProblem naming everything that is not
 */
export function requireKnownNames(requests: readonly ServiceRequest[], plans: readonly RenderedPlan[]): void {
  const problems = requests.flatMap(({ name, variables, containers = [] }) => {
    const plan = plans.find((candidate) => candidate.plan.name === name)?.plan;
    if (plan === undefined) return [];
    return [
      ...unknown(name, "variable", keysOf(variables), keysOf(plan.variables)),
      ...unknown(name, "container", namesOf(containers), namesOf(plan.containers)),
    ];
  });
  if (problems.length > 0) throw new EnvironmentProblem(problems.join("; "));
}

function unknown(service: string, what: string, sent: readonly string[], known: readonly string[]): string[] {
  const there = known.length === 0 ? "it has none" : `it has ${known.join(", ")}`;
  return sent
    .filter((name) => !known.includes(name))
    .map((name) => `service ${service} has no ${what} ${name}; ${there}`);
}

const keysOf = (variables: readonly { key: string }[]) => variables.map(({ key }) => key);
const namesOf = (containers: readonly { name: string }[]) => containers.map(({ name }) => name);

/** A named service has no definition in the project. */
export class UnknownService extends EnvironmentProblem {
  static named(name: string, projectKey: string, kind: string): UnknownService {
    return new UnknownService(`${kind} service ${name} not found in project ${projectKey}`);
  }
}

/** Stores the texts of rendered plans: what an accepted change keeps. */
export function storePlanTexts(rendered: readonly RenderedPlan[]): Promise<ServicePlan[]> {
  return Promise.all(rendered.map(async ({ plan, text }) => ({ ...plan, text: await storeText(text) })));
}

function planOne(
  target: PlanTarget,
  request: ServiceRequest,
  record: ServiceRecord,
  current: EnvironmentService | undefined,
): RenderedPlan {
  const variables = settleVariables({
    revision: record.variables,
    environment: current?.variables ?? [],
    globals: target.globals,
    sent: request.variables,
    unknownGlobal: target.unknownGlobal,
  });
  const changedImages = imagesInForce(record, current, request.containers ?? []);
  const context: RenderContext = {
    projectKey: target.projectKey,
    serviceName: record.name,
    namespace: target.namespace,
    envName: target.envKey,
    clusterName: target.clusterName,
  };
  const rendered = renderService({ yaml: record.yaml, variables, context, images: changedImages, strict: true });
  const { text, objects, replicas } = keepReplicas(rendered, current?.replicas ?? {}, (workload) => {
    return replicasVariable({ yaml: record.yaml, variables, context }, workload) !== undefined;
  });
  const readOtherwise = [...rendered.warnings, ...otherNamespaces(objects, target.namespace)];
  if (record.strict === true) refuseWarnings(readOtherwise);
  return {
    text,
    objects,
    warnings: [...readOtherwise, ...keptImages(record, request, current, { variables, changedImages, context })].map(
      (warning) => ({ ...warning, message: `service ${record.name}: ${warning.message}` }),
    ),
    plan: {
      name: record.name,
      group: record.group,
      revision: record.revision,
      variables,
      containers: extractContainers(objects),
      changedImages,
      replicas,
      ...(objects.some(isDefinition) && { defines: true }),
    },
  };
}

/** Namespaces that objects name and do not go to. */
function otherNamespaces(objects: readonly KubeObject[], own: string): PlanWarning[] {
  const named = new Set(objects.map(({ metadata }) => metadata.namespace ?? own));
  named.delete(own);
  return [...named].map((namespace) => ({
    code: "other_namespace" as const,
    message: `objects of namespace ${namespace} go to ${own}, the namespace of the environment`,
    line: 0,
  }));
}

/** Images that other values would change, but that stay as an image update has set them. */
function keptImages(
  { yaml }: ServiceRecord,
  { containers = [] }: ServiceRequest,
  current: EnvironmentService | undefined,
  now: { variables: EnvironmentVariable[]; changedImages: Readonly<Record<string, string>>; context: RenderContext },
): PlanWarning[] {
  const { variables, changedImages, context } = now;
  const kept = Object.entries(changedImages).filter(([name]) => !containers.some((sent) => sent.name === name));
  if (current === undefined || kept.length === 0 || isDeepStrictEqual(current.variables, variables)) return [];
  const imagesWith = (values: readonly EnvironmentVariable[]) => {
    const { objects } = renderService({ yaml, variables: values, context, strict: false });
    return new Map(extractContainers(objects).map(({ name, image }) => [name, image]));
  };
  const [before, after] = [imagesWith(current.variables), imagesWith(variables)];
  return kept
    .filter(([name]) => before.get(name) !== after.get(name))
    .map(([name, image]) => ({
      code: "image_kept" as const,
      message: `container "${name}" keeps ${image}, which an image update has set; by its variables it would be ${after.get(name)}`,
      line: 0,
    }));
}

/**
 * What a template, a value or a manifest refuses tells which service it belongs to. Limits and what values may not insert
 * have a code of their own (decisions 4.4, 5.9).
 */
async function named<T>(service: string, plan: () => Promise<T>): Promise<T> {
  try {
    return await plan();
  } catch (error) {
    if (error instanceof RenderError && (error.reason === "limit" || error.cause instanceof InsertionError))
      throw new ApiError(6045, `service ${service}: ${error.message}`);
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    throw new EnvironmentProblem(`service ${service}: ${reason}`);
  }
}
