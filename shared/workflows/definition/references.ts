import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { type Tree, treesOf } from "../../manifest/tree.ts";
import type { UsedIntegration } from "./jobKind.ts";
import { jobKindOf } from "./jobKinds.ts";

/** A record that a definition refers to by its id or, where it belongs to a project, by its name. */
export type Reference =
  | { kind: "cluster"; id: string; strategyId?: string }
  | { kind: "registry" | "code-host" | "base-image" | UsedIntegration; id: string }
  | { kind: "build" | "test" | "scan"; projectKey: string; name: string };

const idForm = /^[0-9a-f]{24}$/;
const registryFields = ["docker_registry_id", "registry_id", "source_registry_id", "target_registry_id"];
/**
 * What a definition refers to, each record once. Lists of what may be chosen (`…_options`) do not count: what is in them
 * may go.
 */
export function referencesOf({ project, params, stages }: Tree): Reference[] {
  const projectKey = typeof project === "string" ? project : "";
  const jobs = treesOf(stages).flatMap((stage) => treesOf(stage.jobs));
  const ofJob = (job: Tree) => [...referredIn(job.spec), ...namedIn(job, projectKey), ...usedBy(job)];
  const all = [...referredIn(params), ...jobs.flatMap(ofJob)];
  return [...new Map(all.map((reference) => [JSON.stringify(reference), reference])).values()];
}

function namedIn({ type, spec }: Tree, projectKey: string): Reference[] {
  const named = jobKindOf(type)?.references;
  if (named === undefined || !isRecord(spec)) return [];
  const { kind, lists, field } = named;
  return lists
    .flatMap((list) => treesOf(spec[list]))
    .flatMap(({ [field]: name, project_name: other }) => {
      if (typeof name !== "string" || name === "") return [];
      return [{ kind, projectKey: typeof other === "string" && other !== "" ? other : projectKey, name }];
    });
}

/** The integration that a job works with; an id that is a variable is known when it runs. */
function usedBy({ type, spec }: Tree): Reference[] {
  const uses = jobKindOf(type)?.uses;
  const id = uses && isRecord(spec) ? spec[uses.field] : undefined;
  return uses !== undefined && isId(id) ? [{ kind: uses.kind, id }] : [];
}

/** References by fields that every type of job names alike. */
function referredIn(value: unknown): Reference[] {
  if (Array.isArray(value)) return value.flatMap(referredIn);
  if (!isRecord(value)) return [];
  const inner = Object.entries(value).flatMap(([key, item]) => (key.endsWith("_options") ? [] : referredIn(item)));
  return [...ownReferences(value), ...inner];
}

function ownReferences(object: Tree): Reference[] {
  const { cluster_id: clusterId, strategy_id: strategyId, codehost_id: codeHost, image_id: imageId } = object;
  const registries = registryFields.map((field) => object[field]).filter(isId);
  return [
    ...(isId(clusterId) ? [{ kind: "cluster" as const, id: clusterId, ...(isId(strategyId) && { strategyId }) }] : []),
    ...registries.map((id) => ({ kind: "registry" as const, id })),
    ...(Number.isSafeInteger(codeHost) && codeHost !== 0 ? [{ kind: "code-host" as const, id: String(codeHost) }] : []),
    ...(isId(imageId) ? [{ kind: "base-image" as const, id: imageId }] : []),
  ];
}

function isId(value: unknown): value is string {
  return typeof value === "string" && idForm.test(value);
}
