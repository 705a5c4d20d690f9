import { storeText } from "../clients/objects/objectStore.ts";
import { ApiError } from "../domain/errors/apiError.ts";
import { extractContainers } from "../domain/manifest/containers.ts";
import { InsertionError } from "../domain/manifest/insertionRule.ts";
import type { KubeObject } from "../domain/manifest/kubeObject.ts";
import { type RenderContext, RenderError, renderService } from "../domain/manifest/renderService.ts";
import { keepReplicas, replicasVariable } from "../domain/manifest/replicas.ts";
import {
  type EnvironmentGlobal,
  type SentVariable,
  settleVariables,
} from "../domain/variables/environmentVariables.ts";
import type { ServicePlan } from "../store/changes.ts";
import type { EnvironmentService } from "../store/environments.ts";
import { findServices, type ServiceRecord } from "../store/services.ts";
import { EnvironmentProblem, reasonOf } from "./failures.ts";

/** A service as a caller asks for it. */
export interface ServiceRequest {
  name: string;
  variables: readonly SentVariable[];
  /** Images by container; they replace those of the YAML. */
  containers?: readonly { name: string; image: string }[] | undefined;
}

/** A plan with the objects it was rendered to, before the text is stored. */
export interface RenderedPlan {
  plan: Omit<ServicePlan, "text">;
  text: string;
  objects: KubeObject[];
}

export interface PlanTarget {
  projectKey: string;
  production: boolean;
  envKey: string;
  namespace: string;
  clusterName: string;
  globals: readonly EnvironmentGlobal[];
  /** Whether a flag without its global variable goes back to false (add, update) or is an error (contract P 12.3). */
  unknownGlobal: "reset" | "refuse";
  /** Rendered instead of the newest revisions. */
  definitions?: ReadonlyMap<string, ServiceRecord>;
}

/**
 * Decides what each service will be: the newest revision, its variables by contract P 12.3, its images by P 13.6, and
 * the text that comes of it. What is decided here is applied later as it stands.
 * @param current services that stand in the environment already, by name
 * @throws EnvironmentProblem or ApiError 6045 naming everything that is wrong with any of them; UnknownService when all
 * that is wrong is that services are unknown
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
  const plans = requests.flatMap((request) => {
    try {
      const record = records.get(request.name);
      if (record === undefined) throw UnknownService.named(request.name, target.projectKey, kind);
      return [named(request.name, () => planOne(target, request, record, current.get(request.name)))];
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof EnvironmentProblem)) throw error;
      refused.push(error);
      return [];
    }
  });
  if (refused.length > 0) throw joined(refused);
  return plans;
}

/** One error for all of them, of the gravest kind. */
function joined(errors: readonly Error[]): Error {
  const messages = errors.map((error) => (error instanceof ApiError ? error.description : error.message)).join("; ");
  const coded = errors.find((error) => error instanceof ApiError);
  if (coded !== undefined) return new ApiError(coded.code, messages);
  if (errors.every((error) => error instanceof UnknownService)) return new UnknownService(messages);
  return new EnvironmentProblem(messages);
}

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
  return {
    text,
    objects,
    plan: {
      name: record.name,
      group: record.group,
      revision: record.revision,
      variables,
      containers: extractContainers(objects),
      changedImages,
      replicas,
    },
  };
}

/** Images that differ from the revision's: kept from before, or sent now (contract P 13.6). */
function imagesInForce(
  record: ServiceRecord,
  current: EnvironmentService | undefined,
  sent: readonly { name: string; image: string }[],
): Record<string, string> {
  const images = new Map(Object.entries(current?.changedImages ?? {}));
  for (const { name, image } of sent) images.set(name, image);
  const differing = record.containers.filter(({ name, image }) => images.has(name) && images.get(name) !== image);
  return Object.fromEntries(differing.map(({ name }) => [name, images.get(name) ?? ""]));
}

/**
 * What a template, a value or a manifest refuses tells which service it belongs to. Limits and what values may not insert
 * have a code of their own (decisions 4.4, 5.9).
 */
function named<T>(service: string, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (error instanceof RenderError && (error.reason === "limit" || error.cause instanceof InsertionError))
      throw new ApiError(6045, `service ${service}: ${error.message}`);
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    throw new EnvironmentProblem(`service ${service}: ${reason}`);
  }
}
