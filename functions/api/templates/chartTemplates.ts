import type * as z from "zod";
import { storeText } from "../../../shared/aws/objects/objectStore.ts";
import { ApiError, badRequest, notFound } from "../../../shared/errors/apiError.ts";
import { ChartProblem } from "../../../shared/helm/chartProblem.ts";
import { type ChartRef, storeChart } from "../../../shared/helm/chartStore.ts";
import { type Chart, readArchive } from "../../../shared/helm/readArchive.ts";
import * as store from "../../../shared/services/store/chartTemplates.ts";
import { nowSeconds } from "../../../shared/store/ids.ts";
import { hasLost, type Item } from "../../../shared/store/table.ts";
import type { changedChartTemplate, chartTemplate, newChartTemplate } from "./chartSchemas.ts";

/** @throws ApiError 6040 for a taken name; 501 for a source that is not built yet */
export async function createChartTemplate(body: z.output<typeof newChartTemplate>, by: string): Promise<void> {
  const { name, variables } = body;
  const now = nowSeconds();
  const times = { createdBy: by, updatedBy: by, createdAt: now, updatedAt: now };
  try {
    await store.createChartTemplate({ name, source: requireUpload(body.source), variables, ...times });
  } catch (error) {
    throw hasLost(error, "chart template")
      ? new ApiError(6040, `a chart template with the name ${name} exists`)
      : error;
  }
}

function requireUpload(source: "upload" | "repo" | "chartRepo"): "upload" {
  if (source === "upload") return source;
  throw new ApiError(501, `chart templates from ${source} are not built yet; use source upload`);
}

/** @throws ApiError 404; 501 for a source that is not built yet; ConditionFailed when another change came first */
export async function changeChartTemplate(
  name: string,
  { source, variables }: z.output<typeof changedChartTemplate>,
  by: string,
): Promise<void> {
  const before = await requireChartTemplate(name);
  const set = { source: requireUpload(source), variables, updatedBy: by, updatedAt: nowSeconds() };
  await store.changeChartTemplate(before, { ...before, ...set });
}

/** One that is gone already is no error (decisions 1.1). */
export async function removeChartTemplate(name: string): Promise<void> {
  const template = await store.findChartTemplate(name);
  if (template !== undefined) await store.removeChartTemplate(template);
}

/**
 * Keeps a packed chart and makes it the template's; services made before keep theirs.
 * @throws ApiError 404; 400 for what is no chart; ConditionFailed when another change came first
 */
export async function uploadChart(name: string, content: string, by: string): Promise<ChartRef> {
  const before = await requireChartTemplate(name);
  const read = await readUpload(Buffer.from(content, "base64"));
  const ref = await storeChart(read);
  const chart = { ...ref, archiveBytes: read.archive.length, values: await storeText(read.values) };
  await store.changeChartTemplate(before, { ...before, chart, updatedBy: by, updatedAt: nowSeconds() });
  return ref;
}

async function readUpload(packed: Buffer): Promise<Chart> {
  try {
    return await readArchive(packed);
  } catch (error) {
    if (!(error instanceof ChartProblem)) throw error;
    throw badRequest([{ in: "body", path: "content", problem: error.message }]);
  }
}

/** @throws ApiError 404 */
export async function requireChartTemplate(name: string): Promise<Item<store.ChartTemplate>> {
  const template = await store.findChartTemplate(name);
  if (template === undefined) throw notFound(`chart template ${name}`);
  return template;
}

export function chartTemplateAnswer(
  template: Omit<store.ChartTemplate, "chart"> & { chart?: ChartRef },
): z.input<typeof chartTemplate> {
  const { name, source, variables, chart } = template;
  return {
    ...{ name, source, variables },
    ...{ chart_name: chart?.name ?? "", chart_version: chart?.version ?? "", digest: chart?.digest ?? "" },
    ...{ created_by: template.createdBy, created_time: template.createdAt },
    ...{ update_by: template.updatedBy, update_time: template.updatedAt },
  };
}
