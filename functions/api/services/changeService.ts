import { notFound } from "../../../shared/domain/errors/apiError.ts";
import type { ServiceVariable } from "../../../shared/domain/variables/serviceVariable.ts";
import { prepareService } from "../../../shared/services/prepareService.ts";
import { nowSeconds } from "../../../shared/store/ids.ts";
import type { ServiceKind } from "../../../shared/store/keys.ts";
import { addRevision, changeRevision } from "../../../shared/store/serviceRevisions.ts";
import { findService, type VersionedService } from "../../../shared/store/services.ts";

/** Which service is meant. */
interface ServiceAddress {
  projectKey: string;
  kind: ServiceKind;
  name: string;
}

export async function requireService({ projectKey, kind, name }: ServiceAddress): Promise<VersionedService> {
  const service = await findService(projectKey, kind, name);
  if (service === undefined) throw notFound(`${kind} service ${name} of project ${projectKey}`);
  return service;
}

/**
 * Stores a new revision with other YAML; variables are kept and new ones follow (contract P 2.5). The same YAML stores
 * nothing. @throws ApiError 404, 6045; ConditionFailed when another edit came first
 */
export async function replaceYaml(address: ServiceAddress, yaml: string, by: string): Promise<void> {
  const before = await requireService(address);
  const content = prepareService({ yaml, variables: before.variables });
  if (isSame(before, content)) return;
  const revision = { revision: before.revision + 1, source: "spock", createdBy: by, createdAt: nowSeconds() };
  await addRevision(before, { ...before, ...content, ...revision });
}

/**
 * Overwrites value, type, options and description of variables that the newest revision has, in place; other keys are
 * ignored (contract P 2.6). What the YAML then renders to must be complete.
 * @throws ApiError 404, 6045; ConditionFailed when another edit came first
 */
export async function setVariables(address: ServiceAddress, given: readonly ServiceVariable[]): Promise<void> {
  const before = await requireService(address);
  const sent = new Map(given.map((variable) => [variable.key, variable]));
  const variables = before.variables.map((variable) => sent.get(variable.key) ?? variable);
  const content = prepareService({ yaml: before.yaml, variables, strict: true });
  if (isSame(before, content)) return;
  await changeRevision(before, { ...before, ...content });
}

function isSame(a: Pick<VersionedService, "yaml" | "variables">, b: Pick<VersionedService, "yaml" | "variables">) {
  return a.yaml === b.yaml && JSON.stringify(a.variables) === JSON.stringify(b.variables);
}
