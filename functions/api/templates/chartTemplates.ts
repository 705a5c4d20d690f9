import type * as z from "zod";
import { storeText } from "../../../shared/base/aws/objects/objectStore.ts";
import { ApiError, badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import { conflictedOn } from "../../../shared/base/store/tableClient.ts";
import { readChartFolders, readChartPlace } from "../../../shared/http/chartSources.ts";
import type { ObjectPreview } from "../../../shared/kube/preview/objectPreview.ts";
import { readChartArchive, readChartFolder, wholeChart } from "../../../shared/packaging/charts/readChartArchive.ts";
import { ChartProblem } from "../../../shared/packaging/helm/chartProblem.ts";
import { type ChartRef, storeChart } from "../../../shared/packaging/helm/chartStore.ts";
import type { Chart } from "../../../shared/packaging/helm/readArchive.ts";
import { previewReference, type ReferredService, referChart } from "../../../shared/projects/services/referChart.ts";
import * as store from "../../../shared/projects/services/store/chartTemplates.ts";
import { chartTemplateId, findFollowers } from "../../../shared/projects/services/store/templateFollowers.ts";
import { type SyncOutcome, syncTemplate } from "../../../shared/projects/services/syncTemplate.ts";
import type { changedChartTemplate, chartReference, chartTemplate, newChartTemplate } from "./chartSchemas.ts";
import { refuseFollowed } from "./removeTemplate.ts";

/** @throws ApiError 6040 for a taken name; 400 for what cannot be fetched */
export async function createChartTemplate(body: z.output<typeof newChartTemplate>, by: string): Promise<void> {
  const { name, variables } = body;
  const now = nowSeconds();
  const times = { createdBy: by, updatedBy: by, createdAt: now, updatedAt: now };
  try {
    await store.createChartTemplate({ name, ...(await sourceOf(body.source, body.createFrom)), variables, ...times });
  } catch (error) {
    throw conflictedOn(error, "chart template")
      ? new ApiError(6040, `a chart template with the name ${name} exists`)
      : error;
  }
}

type Source = Pick<store.ChartTemplate, "source" | "createFrom" | "chart">;

/** What a template takes from its source; of an upload nothing yet. */
async function sourceOf(source: "upload" | "repo" | "chartRepo", sent: unknown): Promise<Source> {
  if (source === "upload") return { source };
  if (source === "chartRepo") return fetched(source, readChartPlace(sent), readChartArchive);
  const [folder] = readChartFolders(sent, { is: 1, because: "a chart template has one chart; name one path" });
  if (folder === undefined) throw new Error("one folder is read");
  return fetched(source, folder, readChartFolder);
}

async function fetched<From extends NonNullable<Source["createFrom"]>>(
  source: "repo" | "chartRepo",
  from: From,
  fetch: (from: From) => Promise<Chart>,
): Promise<Source> {
  return { source, createFrom: from, chart: await keptChart(await read("createFrom", () => fetch(from))) };
}

/** @throws ApiError as `createChartTemplate`; 404; ConditionFailed when another change came first */
export async function changeChartTemplate(
  name: string,
  { source, variables, createFrom: from }: z.output<typeof changedChartTemplate>,
  by: string,
): Promise<SyncOutcome> {
  const { createFrom: placed, ...before } = await requireChartTemplate(name);
  const kept = { source: before.source, ...(placed && { createFrom: placed }) };
  const taken = source === undefined ? kept : await sourceOf(source, from);
  await store.changeChartTemplate(before, { ...before, ...taken, variables, updatedBy: by, updatedAt: nowSeconds() });
  return syncTemplate(chartTemplateId(name));
}

type Reference = z.output<typeof chartReference>;

/**
 * Brings services to the template's chart: those that are named, whether they follow it or not. Without names it is like a
 * change that changes nothing: everything that follows is looked at again. @throws as `changeChartTemplate`
 */
export async function applyChartTemplate(name: string, sent: Reference, by: string): Promise<SyncOutcome> {
  const before = await requireChartTemplate(name);
  if (sent.services !== undefined) return referChart(before, sent.services.map(referred), by);
  await store.changeChartTemplate(before, { ...before, updatedBy: by });
  return syncTemplate(chartTemplateId(name));
}

/** What that would change of each service. @throws ApiError 404 */
export async function previewChartReference(name: string, sent: Reference): Promise<ObjectPreview[]> {
  const template = await requireChartTemplate(name);
  const named = sent.services?.map(referred);
  return previewReference(template, named ?? (await findFollowers(chartTemplateId(name))));
}

function referred(sent: { project_key: string; service_name: string; production: boolean }): ReferredService {
  return { projectKey: sent.project_key, kind: sent.production ? "production" : "test", name: sent.service_name };
}

/** One that is gone already is no error (decisions 1.1). @throws ApiError 6044 while a service follows it */
export function removeChartTemplate(name: string): Promise<void> {
  return retryOnConflict(async () => {
    const template = await store.findChartTemplate(name);
    if (template === undefined) return;
    await refuseFollowed(chartTemplateId(name));
    await store.removeChartTemplate(template);
  });
}

/**
 * Keeps a packed chart and makes it the template's; services that follow it are brought up to it, others keep theirs.
 * @throws ApiError 404; 400 for what is no chart; ConditionFailed when another change came first
 */
export async function uploadChart(name: string, content: string, by: string): Promise<ChartRef & SyncOutcome> {
  const { createFrom: replaced, ...before } = await requireChartTemplate(name);
  const chart = await keptChart(await read("content", () => wholeChart(Buffer.from(content, "base64"))));
  const set = { source: "upload", chart, updatedBy: by, updatedAt: nowSeconds() } as const;
  await store.changeChartTemplate(before, { ...before, ...set });
  const outcome = await syncTemplate(chartTemplateId(name));
  return { digest: chart.digest, name: chart.name, version: chart.version, ...outcome };
}

async function keptChart(read: Chart): Promise<NonNullable<store.ChartTemplate["chart"]>> {
  const [ref, values] = await Promise.all([storeChart(read), storeText(read.values)]);
  return { ...ref, values };
}

/** @throws ApiError 400 naming the field that a chart came from */
async function read(field: string, work: () => Promise<Chart>): Promise<Chart> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChartProblem)) throw error;
    throw badRequest([{ in: "body", path: field, problem: error.message }]);
  }
}

/** @throws ApiError 404 */
export async function requireChartTemplate(name: string): Promise<store.VersionedChartTemplate> {
  const template = await store.findChartTemplate(name);
  if (template === undefined) throw notFound(`chart template ${name}`);
  return template;
}

export function chartTemplateAnswer(
  template: Omit<store.ChartTemplate, "chart"> & { chart?: ChartRef },
): z.input<typeof chartTemplate> {
  const { name, source, createFrom: from, variables, chart } = template;
  return {
    ...{ name, source, variables },
    ...(from && { create_from: from }),
    ...{ chart_name: chart?.name ?? "", chart_version: chart?.version ?? "", digest: chart?.digest ?? "" },
    ...{ created_by: template.createdBy, created_time: template.createdAt },
    ...{ update_by: template.updatedBy, update_time: template.updatedAt },
  };
}

/** A page of the chart templates, as both paths of the list answer it. */
export async function chartTemplatePage({ pageNum, pageSize }: { pageNum: number; pageSize: number }) {
  const { templates, total } = await store.pageOfChartTemplates(pageNum, pageSize);
  return { chart_templates: templates.map(chartTemplateAnswer), total };
}
