import { ApiError } from "../../base/errors/apiError.ts";
import { config } from "../../base/settings/config.ts";
import { maskProblem } from "../../kube/live/maskedTemplate.ts";
import { boundaryKinds, parseClusterKinds } from "../../kube/scopeRules.ts";
import type { ServiceContainer } from "../../manifest/containers.ts";
import { ManifestError } from "../../manifest/manifestError.ts";
import { keptWarnings, type ManifestWarning } from "../../manifest/manifestWarning.ts";
import { RenderError, renderService, undeclaredWarning } from "../../manifest/renderService.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { serviceContainers } from "../../manifest/serviceContainers.ts";
import { extractVariables } from "../../manifest/template/extractVariables.ts";
import { parseTemplate } from "../../manifest/template/parseTemplate.ts";
import { undeclaredIn } from "../../manifest/template/renderTemplate.ts";
import { TemplateError } from "../../manifest/template/templateError.ts";
import { mergeExtracted, normaliseVariable, type ServiceVariable } from "../../manifest/variables/serviceVariable.ts";
import { manifestProblems } from "./manifestProblems.ts";

export interface ServiceContent {
  yaml: string;
  variables: ServiceVariable[];
  containers: ServiceContainer[];
  /** What of the YAML was taken although it is not in order. */
  warnings: ManifestWarning[];
}

/** A service's variables and containers are in its list; together with them an item stays far below 400 KB. */
const maxContainerBytes = 128 * 1024;
/** What variables collect over many edits, because none is ever dropped, stays bounded. */
const maxContentBytes = 8 * 1024 * 1024;

/**
 * What is stored of a service's YAML: the known variables followed by those that the YAML asks for (contract P 12.1),
 * the containers of what it renders to (P 13), and what is not in order there as far as values tell. Only where `strict`
 * is asked for must every key have a value (P 11.2); `refuseWarnings` refuses what would be warned of.
 * @throws ApiError 6045 telling what is wrong with the template, a value or the manifest
 */
export function prepareService(given: {
  yaml: string;
  variables: readonly ServiceVariable[];
  strict?: boolean;
  refuseWarnings?: boolean | undefined;
}): ServiceContent {
  const { yaml, strict = false } = given;
  try {
    refuseMasks(yaml);
    const extracted = extractVariables(yaml);
    const variables = mergeExtracted(given.variables.map(normaliseVariable), extracted);
    if (strict) renderService({ yaml, variables, strict });
    refuseProblems(yaml, variables);
    const found = definitionWarnings(yaml, variables);
    if (given.refuseWarnings === true) refuseWarnings(found);
    const warnings = keptWarnings([...found, ...foreignWarnings(yaml, variables, extracted)]);
    const content = { yaml, variables, containers: serviceContainers(yaml, variables), warnings };
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

/** Who may not see values of Secrets may still copy the text of a service: the mask must not become a value. */
function refuseMasks(yaml: string): void {
  const problem = maskProblem(yaml);
  if (problem !== undefined) throw refused(problem);
}

/** Refuses all at once what no environment would take; YAML that cannot be read yet for want of values passes. */
function refuseProblems(yaml: string, variables: readonly ServiceVariable[]): void {
  // Which of a boundary's kinds the project may deploy is decided where it is deployed.
  const kinds = [...parseClusterKinds(config().SLIPWAY_CLUSTER_SCOPED_KINDS), ...boundaryKinds];
  const problems = manifestProblems(objectsOf(yaml, variables), kinds);
  if (problems.length > 0) throw refused(problems.join("; "));
}

function objectsOf(yaml: string, variables: readonly ServiceVariable[]): KubeObject[] {
  try {
    return renderService({ yaml, variables, strict: false }).objects;
  } catch (error) {
    if (error instanceof RenderError) return [];
    throw error;
  }
}

/** Whether both hold the same YAML and variables; the containers follow from them. */
export function isSameContent(
  a: Pick<ServiceContent, "yaml" | "variables">,
  b: Pick<ServiceContent, "yaml" | "variables">,
): boolean {
  return a.yaml === b.yaml && JSON.stringify(a.variables) === JSON.stringify(b.variables);
}

function checkSize({ yaml, variables, containers }: ServiceContent): void {
  const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  if (sizeOf(containers) > maxContainerBytes)
    throw refused(`names and images of the containers have more than ${maxContainerBytes} bytes; split the service`);
  if (sizeOf({ yaml, variables }) > maxContentBytes)
    throw refused(`YAML and variables together have more than ${maxContentBytes} bytes; recreate the service`);
}

/** @throws ApiError 6045 naming them all */
export function refuseWarnings(warnings: readonly Pick<ManifestWarning, "line" | "message">[]): void {
  if (warnings.length === 0) return;
  const found = warnings.map(({ line, message }) => (line === 0 ? message : `line ${line}: ${message}`)).join("; ");
  throw refused(`the service is strict, so nothing of its YAML is left out or moved: ${found}`);
}

/** Without a value for every key, only the template itself can be looked at. */
function definitionWarnings(yaml: string, variables: readonly ServiceVariable[]): ManifestWarning[] {
  try {
    return renderService({ yaml, variables, strict: true }).warnings;
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return keptWarnings(undeclaredIn(parseTemplate(yaml)).map(undeclaredWarning));
  }
}

/**
 * Warns of variables that look like another tool's: Prometheus, Alertmanager and the like write `{{ .Value }}` and `{{ .Labels.x }}`.
 * Without a value they are rendered as nothing.
 */
function foreignWarnings(
  yaml: string,
  variables: readonly ServiceVariable[],
  extracted: readonly ServiceVariable[],
): ManifestWarning[] {
  const values = new Map(variables.map(({ key, value }) => [key, value]));
  const unset = extracted.filter(({ key, value }) => isForeignName(key) && values.get(key) === value);
  const empty = new Set(unset.map(({ key }) => key));
  if (empty.size === 0) return [];
  return yaml.split("\n").flatMap((text, at) =>
    [...text.matchAll(foreignAction)].flatMap(([action, key = ""]): ManifestWarning[] => {
      if (!empty.has(key)) return [];
      const message = `${action} reads the variable ${key} of this service, which has no value, so it is rendered as nothing; to keep it as text for another tool write {{"{{"}}${action.slice(2, -2)}{{"}}"}}`;
      return [{ code: "foreign_placeholder", message, line: at + 1 }];
    }),
  );
}

/** An action that reads one variable: `{{ .Value }}`, `{{ .Labels.severity | title }}`. */
const foreignAction = /\{\{-?\s*\.(\w+)[^{}]*\}\}/g;

/** Names of Go's own types begin with a capital letter, and those of people seldom do. */
const isForeignName = (key: string): boolean => /^[A-Z]\w*[a-z]/.test(key) || /^[A-Z]$/.test(key);

function refused(description: string): ApiError {
  return new ApiError(6045, description);
}
