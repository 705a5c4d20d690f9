import type { StoredText } from "../../../base/aws/objects/objectStore.ts";
import { both, mustBeOneOf, mustHaveVersion, mustLack } from "../../../base/store/conditions.ts";
import { count } from "../../../base/store/counters.ts";
import { lists } from "../../../base/store/keys/indexKeys.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { listedPage } from "../../../base/store/listedPage.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { create, named, remove, update } from "../../../base/store/writes.ts";
import type { ChartFolder, ChartPlace } from "../../../packaging/charts/readChartArchive.ts";
import type { ChartRef } from "../../../packaging/helm/chartStore.ts";
import { chartTemplateId, dueSync } from "./templateFollowers.ts";

/** A chart that services are made from (decisions 11.11). */
export interface ChartTemplate {
  name: string;
  /** Where its chart comes from. */
  source: "upload" | "chartRepo" | "repo";
  /** Of a source that charts are fetched from, as it was asked for. */
  createFrom?: ChartPlace | ChartFolder;
  variables: { key: string; value: string }[];
  /** Absent until one was uploaded. */
  chart?: ChartRef & {
    /** Its `values.yaml`. */
    values: StoredText;
  };
  createdBy: string;
  updatedBy: string;
  /** Unix seconds. */
  createdAt: number;
  updatedAt: number;
}

/** A chart template as it was read; every change, and every order to apply it again, is a version of its own. */
export type VersionedChartTemplate = Item<ChartTemplate> & {
  /** How many services were ever made to follow it, which is no change of it; absent before the first one. */
  follows?: number;
  /** As of a YAML template. */
  dueSk?: string;
};

const counterName = "chart-templates";

export function findChartTemplate(name: string): Promise<VersionedChartTemplate | undefined> {
  return table().get<VersionedChartTemplate>(keys.chartTemplate(name));
}

/** What the list shows: everything but the values. */
type ChartTemplateSummary = Omit<ChartTemplate, "chart"> & { chart?: ChartRef };

/** A page of all chart templates by name, and how many there are. */
export async function pageOfChartTemplates(
  page: number,
  pageSize: number,
): Promise<{ templates: ChartTemplateSummary[]; total: number }> {
  const place = { counter: counterName, list: lists.chartTemplates };
  const { summaries: templates, total } = await listedPage<ChartTemplateSummary>(place, page, pageSize);
  return { templates, total };
}

/** @throws ConditionFailed "chart template" when the name is taken */
export async function createChartTemplate(template: ChartTemplate): Promise<void> {
  await table().write(
    named(
      "chart template",
      create({ ...stored(template), ...keys.chartTemplate(template.name), type: "chart-template" }),
    ),
    count(counterName, 1),
  );
}

/** Stores the next version; services that follow are due. @throws ConditionFailed when it changed since it was read */
export async function changeChartTemplate(before: VersionedChartTemplate, template: ChartTemplate): Promise<void> {
  const key = keys.chartTemplate(before.name);
  const set = { ...stored(template), ...dueSync(chartTemplateId(before.name)) };
  const changes = { set, ...(template.createFrom === undefined && { unset: ["createFrom"] }) };
  await table().write(update(key, changes, mustHaveVersion(before.version)));
}

/** @throws ConditionFailed when it changed, or a service was made to follow it, since it was read */
export async function removeChartTemplate({ name, version, follows }: VersionedChartTemplate): Promise<void> {
  const nobodyMore = follows === undefined ? mustLack("follows") : mustBeOneOf("follows", [follows]);
  const untouched = both(mustHaveVersion(version), nobodyMore);
  await table().write(remove(keys.chartTemplate(name), untouched), count(counterName, -1));
}

function stored(template: ChartTemplate) {
  const { name, source, createFrom, variables, chart, createdBy, updatedBy, createdAt, updatedAt } = template;
  const times = { createdBy, updatedBy, createdAt, updatedAt };
  const plain = { name, source, ...(createFrom && { createFrom }), variables, ...times };
  const summary = {
    ...plain,
    ...(chart && { chart: { digest: chart.digest, name: chart.name, version: chart.version } }),
  };
  return { ...plain, ...(chart && { chart }), summary, listPk: lists.chartTemplates, listSk: name };
}
