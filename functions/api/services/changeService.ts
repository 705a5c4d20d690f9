import { ApiError, notFound } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import type { ServiceKind } from "../../../shared/base/store/keys/keys.ts";
import type { ManifestWarning } from "../../../shared/manifest/manifestWarning.ts";
import type { ServiceVariable } from "../../../shared/manifest/variables/serviceVariable.ts";
import {
  isSameContent,
  prepareService,
  type ServiceContent,
} from "../../../shared/projects/services/prepareService.ts";
import { addRevision, changeRevision } from "../../../shared/projects/services/store/serviceRevisions.ts";
import {
  findService,
  type ServiceRecord,
  type VersionedService,
} from "../../../shared/projects/services/store/services.ts";

/** Which service is meant. */
export interface ServiceAddress {
  projectKey: string;
  kind: ServiceKind;
  name: string;
}

interface Revised {
  before: VersionedService;
  content: ServiceContent;
}

export const serviceWords = ({ projectKey, kind, name }: ServiceAddress): string =>
  `${kind} service ${name} of project ${projectKey}`;

export async function requireService(address: ServiceAddress): Promise<VersionedService> {
  const service = await findService(address.projectKey, address.kind, address.name);
  if (service === undefined) throw notFound(serviceWords(address));
  return service;
}

async function requireYamlService(address: ServiceAddress): Promise<VersionedService> {
  const service = await requireService(address);
  if (service.chart === undefined) return service;
  const how =
    "change its values in an environment, or its chart template where it follows one, or load it again from where it came";
  throw new ApiError(6092, `service ${address.name} is a chart and has no YAML and no variables of its own; ${how}`);
}

/**
 * Stores a new revision with other YAML; variables are kept and new ones follow (contract P 2.5). The same YAML stores
 * nothing. Answers what of the YAML is warned of. @throws ApiError 404; 6045; 6092 while the service follows a template; ConditionFailed when another edit came first
 */
export async function replaceYaml(address: ServiceAddress, sent: SentYaml, by: string): Promise<ManifestWarning[]> {
  const { before, content } = await contentWithYaml(address, sent);
  const strict = isStrict(before, sent) && { strict: true as const };
  if (!isSameContent(before, content)) {
    const revision = { revision: before.revision + 1, source: "spock", createdBy: by, createdAt: nowSeconds() };
    const { template: _left, strict: _before, ...kept } = before;
    await addRevision(before, { ...kept, ...content, ...revision, ...strict });
  } else if (isStrict(before, sent) !== (before.strict === true)) {
    const { strict: _before, ...record } = before;
    await changeRevision(before, { ...record, ...strict });
  }
  return content.warnings;
}

interface SentYaml {
  yaml: string;
  /** Left out: as the service is. */
  strict?: boolean | undefined;
}

function isStrict(before: ServiceRecord, { strict }: SentYaml): boolean {
  return strict ?? before.strict === true;
}

/** What a service is and what other YAML would make of it. @throws ApiError as `replaceYaml` */
export async function contentWithYaml(address: ServiceAddress, sent: SentYaml): Promise<Revised> {
  const before = await requireYamlService(address);
  if (before.template?.autoSync)
    throw new ApiError(6092, "service is created by template and auto_sync is true, can't update");
  const { variables } = before;
  return { before, content: prepareService({ yaml: sent.yaml, variables, refuseWarnings: isStrict(before, sent) }) };
}

/**
 * Overwrites value, type, options and description of variables that the newest revision has, in place; other keys are
 * ignored (contract P 2.6). What the YAML then renders to must be complete.
 * @throws ApiError 404, 6045; ConditionFailed when another edit came first
 */
export async function setVariables(
  address: ServiceAddress,
  given: readonly ServiceVariable[],
): Promise<ManifestWarning[]> {
  const { before, content } = await contentWithVariables(address, given);
  if (!isSameContent(before, content)) await changeRevision(before, { ...before, ...content });
  return content.warnings;
}

/** What a service is and what other values would make of it. @throws ApiError as `setVariables` */
export async function contentWithVariables(
  address: ServiceAddress,
  given: readonly ServiceVariable[],
): Promise<Revised> {
  const before = await requireYamlService(address);
  const sent = new Map(given.map((variable) => [variable.key, variable]));
  const variables = before.variables.map((variable) => sent.get(variable.key) ?? variable);
  const { yaml, strict: refuseWarnings } = before;
  return { before, content: prepareService({ yaml, variables, strict: true, refuseWarnings }) };
}
