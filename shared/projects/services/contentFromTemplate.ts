import { prepareService, type ServiceContent } from "./prepareService.ts";
import { filledTemplate, followedVariables, variablesWithValues } from "./rules/templateContent.ts";
import type { ServiceRecord, ServiceTemplate } from "./store/services.ts";
import type { VersionedTemplate } from "./store/yamlTemplates.ts";

/** How a service is asked for from a template. */
export interface FromTemplate {
  name: string;
  autoSync: boolean;
  /** Over the template's defaults. */
  values: readonly { key: string; value: unknown }[];
}

/** What a service is stored with, and where it came from. */
export type MadeContent = ServiceContent & Pick<ServiceRecord, "source" | "template" | "strict" | "chart">;

export const unknownTemplate = (name: string): string => `failed to find template of name: ${name}`;

/** A new service from a template (contract P 3.1); every placeholder must have a value (P 11.2). @throws ApiError 6045 */
export function contentFromTemplate(
  template: VersionedTemplate,
  service: { projectKey: string; name: string },
  { autoSync, values }: FromTemplate,
): MadeContent {
  const yaml = filledTemplate(template.content, service);
  const variables = variablesWithValues(template.variables, values);
  const link = linkTo(template, autoSync);
  return { ...prepareService({ yaml, variables, strict: true }), source: "template", template: link };
}

/** What a service that follows a template becomes when the template changed (contract P 19). @throws ApiError 6045 */
export function contentFollowing(
  template: VersionedTemplate,
  service: ServiceRecord,
): MadeContent & Required<Pick<MadeContent, "template">> {
  const yaml = filledTemplate(template.content, service);
  const variables = followedVariables(template.variables, service.variables);
  const link = linkTo(template, true);
  return {
    ...prepareService({ yaml, variables, strict: true, refuseWarnings: service.strict }),
    source: "template",
    template: link,
  };
}

function linkTo({ templateId: id, name, version }: VersionedTemplate, autoSync: boolean): ServiceTemplate {
  return { id, name, version, autoSync };
}
