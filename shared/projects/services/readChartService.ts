import { readStoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import type { ServiceKind } from "../../base/store/keys/keys.ts";
import type { ChartFolder, ChartPlace } from "../../packaging/charts/readChartArchive.ts";
import { storeChart } from "../../packaging/helm/chartStore.ts";
import type { Chart } from "../../packaging/helm/readArchive.ts";
import { requireHelmProject } from "../requireHelmProject.ts";
import type { MadeContent } from "./contentFromTemplate.ts";
import { chartContent } from "./createChartService.ts";
import { storeService } from "./createService.ts";
import { isSameContent } from "./prepareService.ts";
import { addRevision } from "./store/serviceRevisions.ts";
import { findService, type ServiceRecord, type VersionedService } from "./store/services.ts";

export interface ChartLoad {
  projectKey: string;
  kind: ServiceKind;
  name: string;
  source: "chartRepo" | "repo";
  from: ChartPlace | ChartFolder;
  /** As it was fetched. */
  chart: Chart;
  /** Over the chart's own; left out: those that were sent the last time. */
  valuesYaml: string | undefined;
}

/**
 * Makes a service of a chart straight from where it lies, without a template (contract P 3.3). A service that was made so
 * takes what lies there now as its next revision.
 * @throws ApiError 404 for an unknown project; 6040 for a name that another service has; 6058 for what Helm refuses, 6045
 * for values that do not fit; ConditionFailed when another change came first
 */
export async function readChartService(wanted: ChartLoad, by: string): Promise<ServiceRecord> {
  const { projectKey, kind, name } = wanted;
  const before = await findService(projectKey, kind, name);
  return before?.chart?.loaded === undefined
    ? storeService(wanted, by, () => contentOf(wanted, wanted.valuesYaml ?? ""), requireHelmProject)
    : loadAgain(before, wanted, by);
}

async function loadAgain(before: VersionedService, wanted: ChartLoad, by: string): Promise<ServiceRecord> {
  const { name, source } = wanted;
  if (before.source !== source)
    throw new ApiError(6040, `service:${name} already exists, and it was not loaded from a source of type ${source}`);
  const sent = before.chart?.loaded;
  const content = await contentOf(
    wanted,
    wanted.valuesYaml ?? (sent === undefined ? "" : await readStoredText(sent.valuesYaml)),
  );
  if (isSameContent(before, content) && before.chart?.digest === content.chart?.digest) return before;
  const { version: _read, ...kept } = before;
  const record = { ...kept, ...content, revision: before.revision + 1, createdBy: by, createdAt: nowSeconds() };
  await addRevision(before, record);
  return record;
}

async function contentOf(
  { projectKey, name, source, from, chart }: ChartLoad,
  valuesYaml: string,
): Promise<MadeContent> {
  const kept = await storeChart(chart);
  const { values } = chart;
  const content = await chartContent(kept, { projectKey, name, values, valuesYaml });
  return { ...content, source, chart: { ...kept, loaded: { from, valuesYaml: await storeText(valuesYaml) } } };
}
