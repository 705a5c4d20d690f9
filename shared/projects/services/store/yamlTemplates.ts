import { readStoredText, type StoredText, storeText } from "../../../base/aws/objects/objectStore.ts";
import { both, mustBeOneOf, mustHaveVersion } from "../../../base/store/conditions.ts";
import { count } from "../../../base/store/counters.ts";
import { keys, lists } from "../../../base/store/keys/keys.ts";
import { listedPage } from "../../../base/store/listedPage.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { create, named, remove, update, type Write } from "../../../base/store/writes.ts";
import type { ServiceVariable } from "../../../manifest/variables/serviceVariable.ts";
import { dueSync, syncDueAt } from "./templateFollowers.ts";

/** A template that services are made from (contract P 26), its text loaded. */
export interface YamlTemplate {
  templateId: string;
  name: string;
  /** With `$T-Project$`, `$T-Service$` and placeholders. */
  content: string;
  variables: ServiceVariable[];
  createdBy: string;
  /** Of the last change, or the last order to apply it again. */
  updatedBy: string;
  /** Unix seconds. */
  createdAt: number;
  updatedAt: number;
}

/** A template as it was read. Every change, and every order to apply it again, is a version of its own. */
export interface VersionedTemplate extends YamlTemplate {
  version: number;
  /** How many services were ever made to follow it; does not count as a change. */
  follows: number;
  /** Unix seconds from which services at an older version are no longer left to the last request; absent: none. */
  dueAt: number | undefined;
}

/** What the list shows of a template. */
export type TemplateSummary = Pick<YamlTemplate, "templateId" | "name" | "variables">;

type StoredTemplate = Omit<YamlTemplate, "content" | "variables"> & {
  text: StoredText;
  summary: TemplateSummary;
  follows: number;
  dueSk?: string;
};

const counterName = "yaml-templates";

export async function findTemplate(templateId: string): Promise<VersionedTemplate | undefined> {
  const item = await table().get<StoredTemplate>(keys.yamlTemplate(templateId));
  return item && toTemplate(item);
}

export async function findTemplateByName(name: string): Promise<VersionedTemplate | undefined> {
  const place = await table().get<{ templateId: string }>(keys.yamlTemplateName(name));
  return place && findTemplate(place.templateId);
}

/** A page of all templates by name, and how many there are. */
export async function pageOfTemplates(
  page: number,
  pageSize: number,
): Promise<{ templates: TemplateSummary[]; total: number }> {
  const place = { counter: counterName, list: lists.yamlTemplates };
  const { summaries: templates, total } = await listedPage<TemplateSummary>(place, page, pageSize);
  return { templates, total };
}

/** @throws ConditionFailed "template name" when it is taken */
export async function createTemplate(template: YamlTemplate): Promise<void> {
  const { templateId, name } = template;
  await table().write(
    create({ ...(await toStored(template)), ...keys.yamlTemplate(templateId), type: "yaml-template", follows: 0 }),
    takeName(templateId, name),
    count(counterName, 1),
  );
}

/**
 * Stores the next version; services that follow are due. @throws ConditionFailed when the template changed since it was
 * read, "template name" when its new one is taken
 */
export async function changeTemplate(before: VersionedTemplate, after: YamlTemplate): Promise<void> {
  const { templateId } = before;
  const set = { ...(await toStored(after)), ...dueSync(templateId) };
  const renaming =
    before.name === after.name
      ? []
      : [
          takeName(templateId, after.name),
          remove(keys.yamlTemplateName(before.name), mustBeOneOf("templateId", [templateId])),
        ];
  await table().write(update(keys.yamlTemplate(templateId), { set }, mustHaveVersion(before.version)), ...renaming);
}

/** @throws ConditionFailed when the template changed, or a service was made to follow it, since it was read */
export async function removeTemplate({ templateId, name, version, follows }: VersionedTemplate): Promise<void> {
  const untouched = both(mustHaveVersion(version), mustBeOneOf("follows", [follows]));
  await table().write(
    remove(keys.yamlTemplate(templateId), untouched),
    remove(keys.yamlTemplateName(name), mustBeOneOf("templateId", [templateId])),
    count(counterName, -1),
  );
}

function takeName(templateId: string, name: string): Write {
  return named("template name", create({ ...keys.yamlTemplateName(name), type: "yaml-template-name", templateId }));
}

async function toStored(template: YamlTemplate): Promise<Omit<StoredTemplate, "follows"> & Record<string, unknown>> {
  const { templateId, name, variables, createdBy, updatedBy, createdAt, updatedAt } = template;
  return {
    ...{ templateId, name, createdBy, updatedBy, createdAt, updatedAt },
    text: await storeText(template.content),
    summary: { templateId, name, variables },
    listPk: lists.yamlTemplates,
    listSk: name,
  };
}

async function toTemplate(item: Item<StoredTemplate>): Promise<VersionedTemplate> {
  const { templateId, name, createdBy, updatedBy, createdAt, updatedAt, version, follows, summary, text } = item;
  return {
    ...{ templateId, name, createdBy, updatedBy, createdAt, updatedAt, version, follows },
    content: await readStoredText(text),
    // The table keeps no order of a map's keys; two reads of one variable must be the same text.
    variables: summary.variables.map(({ key, value, type, options, desc }) => ({ key, value, type, options, desc })),
    dueAt: syncDueAt(item),
  };
}
