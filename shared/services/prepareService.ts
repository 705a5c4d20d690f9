import { ApiError } from "../domain/errors/apiError.ts";
import type { ServiceContainer } from "../domain/manifest/containers.ts";
import { ManifestError } from "../domain/manifest/manifestError.ts";
import { RenderError, renderService } from "../domain/manifest/renderService.ts";
import { serviceContainers } from "../domain/manifest/serviceContainers.ts";
import { extractVariables } from "../domain/template/extractVariables.ts";
import { TemplateError } from "../domain/template/templateError.ts";
import { mergeExtracted, normaliseVariable, type ServiceVariable } from "../domain/variables/serviceVariable.ts";

export interface ServiceContent {
  yaml: string;
  variables: ServiceVariable[];
  containers: ServiceContainer[];
}

/** A service's variables and containers stand in its list; together with them an item stays far below 400 KB. */
const mostContainerBytes = 128 * 1024;
/** What variables collect over many edits, because none is ever dropped, stays bounded. */
const mostContentBytes = 8 * 1024 * 1024;

/**
 * What is stored of a service's YAML: the known variables followed by those that the YAML asks for (contract P 12.1),
 * and the containers of what it renders to (P 13). Only where `strict` is asked for must every key have a value (P 11.2).
 * @throws ApiError 6045 telling what is wrong with the template, a value or the manifest
 */
export function prepareService(given: {
  yaml: string;
  variables: readonly ServiceVariable[];
  strict?: boolean;
}): ServiceContent {
  const { yaml, strict = false } = given;
  try {
    const extracted = extractVariables(yaml);
    const variables = mergeExtracted(given.variables.map(normaliseVariable), extracted);
    if (strict) renderService({ yaml, variables, strict });
    const content = { yaml, variables, containers: serviceContainers(yaml, variables) };
    const mayBeEmpty = extracted.length > 0 || content.containers.length > 0;
    if (!mayBeEmpty && renderService({ yaml, variables, strict }).objects.length === 0)
      throw refused("the YAML holds no Kubernetes object");
    checkSize(content);
    return content;
  } catch (error) {
    if (error instanceof RenderError || error instanceof TemplateError || error instanceof ManifestError)
      throw refused(error.message);
    throw error;
  }
}

/** Whether both hold the same YAML and variables; the containers follow from them. */
export function isSameContent(a: Omit<ServiceContent, "containers">, b: Omit<ServiceContent, "containers">): boolean {
  return a.yaml === b.yaml && JSON.stringify(a.variables) === JSON.stringify(b.variables);
}

function checkSize({ yaml, variables, containers }: ServiceContent): void {
  const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  if (sizeOf(containers) > mostContainerBytes)
    throw refused(`names and images of the containers have more than ${mostContainerBytes} bytes; split the service`);
  if (sizeOf({ yaml, variables }) > mostContentBytes)
    throw refused(`YAML and variables together have more than ${mostContentBytes} bytes; create the service anew`);
}

function refused(description: string): ApiError {
  return new ApiError(6045, description);
}
