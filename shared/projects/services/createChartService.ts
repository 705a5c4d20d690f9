import { readStoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import type { ServiceKind } from "../../base/store/keys/keys.ts";
import { ManifestError } from "../../manifest/manifestError.ts";
import { dumpYaml } from "../../manifest/parseYaml.ts";
import { askHelm } from "../../packaging/helm/askHelm.ts";
import { ChartProblem } from "../../packaging/helm/chartProblem.ts";
import { readStoredChart } from "../../packaging/helm/chartStore.ts";
import { storedBytes } from "../../packaging/helm/readArchive.ts";
import { mergeValues } from "../../packaging/helm/rules/mergeValues.ts";
import { readValues } from "../../packaging/helm/rules/readValues.ts";
import { valueImages } from "../../packaging/helm/rules/valueImages.ts";
import { requireHelmProject } from "../requireHelmProject.ts";
import { findImagePatterns } from "../store/projects.ts";
import { type MadeContent, unknownTemplate } from "./contentFromTemplate.ts";
import { storeService } from "./createService.ts";
import type { ServiceContent } from "./prepareService.ts";
import { filledTemplate } from "./rules/templateContent.ts";
import { findChartTemplate, type VersionedChartTemplate } from "./store/chartTemplates.ts";
import type { ServiceRecord } from "./store/services.ts";
import { chartTemplateId } from "./store/templateFollowers.ts";

export interface NewChartService {
  projectKey: string;
  kind: ServiceKind;
  name: string;
  templateName: string;
  /** Over the template's defaults. */
  variables: readonly { key: string; value: string }[];
  valuesYaml: string;
  autoSync: boolean;
}

/**
 * Creates a service of a Helm project from a chart template (contract P 3.2); the chart must render with its values.
 * @throws ApiError 404 for an unknown project or template, 6040 for a taken name, 6058 for what Helm refuses, 6045 for
 * values that do not fit
 */
export function createChartService(wanted: NewChartService, createdBy: string): Promise<ServiceRecord> {
  return storeService(wanted, createdBy, () => contentFromChart(wanted), requireHelmProject);
}

/** Of what Helm stores of chart and values (decisions 20.4): Kubernetes' limit on a Secret, and room for the manifest. */
const maxReleaseBytes = 1_000_000;

/** What a chart template and what was sent make of a service. @throws ApiError as `createChartService` */
export async function contentFromChart(wanted: Omit<NewChartService, "kind">): Promise<MadeContent> {
  const { templateName } = wanted;
  const template = await findChartTemplate(templateName);
  if (template === undefined) throw new ApiError(404, unknownTemplate(templateName));
  return contentOfChart(template, wanted);
}

/**
 * What a service that was made from a chart template becomes when the template changed (contract P 19); whether it follows
 * stays as it is. @throws as above
 */
export async function contentFollowingChart(
  template: VersionedChartTemplate,
  { projectKey, name, chart, template: followed }: ServiceRecord,
): Promise<MadeContent> {
  const { variables = [], valuesYaml } = chart?.template ?? {};
  const sent = { variables, valuesYaml: valuesYaml === undefined ? "" : await readStoredText(valuesYaml) };
  return contentOfChart(template, {
    projectKey,
    name,
    templateName: template.name,
    autoSync: followed?.autoSync === true,
    ...sent,
  });
}

async function contentOfChart(
  { version, chart, variables }: VersionedChartTemplate,
  wanted: Omit<NewChartService, "kind">,
): Promise<MadeContent> {
  const { templateName, valuesYaml, autoSync } = wanted;
  if (chart === undefined)
    throw new ApiError(6045, `chart template ${templateName} has no chart yet; upload one first`);
  const sent = new Map(wanted.variables.map(({ key, value }) => [key, value]));
  const settled = variables.map(({ key, value }) => ({ key, value: sent.get(key) ?? value }));
  const filled = filledChartValues(await readStoredText(chart.values), wanted, settled);
  const origin = { name: templateName, variables: wanted.variables, valuesYaml: await storeText(valuesYaml) };
  return {
    ...(await chartContent(chart, { ...wanted, values: filled })),
    source: "chartTemplate",
    chart: { digest: chart.digest, name: chart.name, version: chart.version, template: origin },
    ...(autoSync && { template: { id: chartTemplateId(templateName), name: templateName, version, autoSync } }),
  };
}

/**
 * What a chart makes of a service with the values that were sent over its own; it must render with them.
 * @param chart kept already
 * @throws ApiError 6045 for values that do not fit, 6058 for what Helm refuses
 */
export async function chartContent(
  { digest }: { digest: string },
  service: { projectKey: string; name: string; values: string; valuesYaml: string },
): Promise<ServiceContent> {
  try {
    const values = mergeValues(readValues(service.values), readValues(service.valuesYaml));
    const yaml = dumpYaml(values);
    const bytes = await storedBytes(await readStoredChart({ digest }), values);
    if (bytes > maxReleaseBytes)
      throw new ApiError(
        6045,
        `chart and values are too large for a release: Helm would store ${bytes} bytes of them in one Secret, and at most ${maxReleaseBytes} are allowed; move large files out of the chart`,
      );
    await askHelm("lint", { chart: { digest }, values: await storeText(yaml), release: service.name });
    const containers = valueImages(values, await findImagePatterns(service.projectKey));
    return { yaml, variables: [], containers, warnings: [] };
  } catch (error) {
    if (error instanceof ManifestError) throw new ApiError(6045, `values: ${error.message}`);
    if (error instanceof ChartProblem) throw new ApiError(6058, error.message);
    throw error;
  }
}

/**
 * The values of a chart template for a service (contract P 3.2): `$T-Project$`, `$T-Service$`, and `{{.key}}` of the
 * template's own variables. Whatever else is in braces is the chart's, for Helm to render.
 */
function filledChartValues(
  values: string,
  service: { projectKey: string; name: string },
  variables: readonly { key: string; value: string }[],
): string {
  const known = new Map(variables.map(({ key, value }) => [key, value]));
  return filledTemplate(values, service).replaceAll(/\{\{\s*\.([\w-]+)\s*\}\}/g, (whole, key: string) => {
    return known.get(key) ?? whole;
  });
}
