import { readStoredText, type StoredText, storeText } from "../../../base/aws/objects/objectStore.ts";
import { mustBeOneOf, mustHaveVersion } from "../../../base/store/conditions.ts";
import { count } from "../../../base/store/counters.ts";
import { type Key, keys, lists } from "../../../base/store/keys/keys.ts";
import { listedPage } from "../../../base/store/listedPage.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import type { RecordUser } from "../../../base/store/uses.ts";
import { create, named, overwrite, remove, replace, type Write } from "../../../base/store/writes.ts";
import type { BuildScript } from "../rules/build/buildDefinition.ts";
import { changeUses } from "./changeUses.ts";
import type { SealedFields } from "./definitionStore.ts";
import type { NamedUse } from "./namedUse.ts";

/** What builds of many services share (decisions 7.7); it belongs to no project. */
export interface BuildTemplate {
  id: string;
  /** Unique; lists are in its order. */
  name: string;
  content: BuildScript;
  /** Fields whose secrets are stored, apart from it. */
  secretFields: readonly string[];
  uses: readonly NamedUse[];
}

export interface VersionedBuildTemplate extends BuildTemplate {
  version: number;
}

export type BuildTemplateSummary = Pick<BuildTemplate, "id" | "name">;

type Stored = Omit<BuildTemplate, "content"> & { text: StoredText };

const counterName = "build-templates";

export async function findBuildTemplate(
  id: string,
  options: { consistent?: boolean } = {},
): Promise<VersionedBuildTemplate | undefined> {
  const item = await table().get<Stored>(keys.buildTemplate(id), options);
  return item && toTemplate(item);
}

/** As other records that definitions refer to by name are found. */
export const buildTemplates = {
  key: (id: string): Key => keys.buildTemplate(id),
  find: findBuildTemplate,
  findByName: async (name: string): Promise<VersionedBuildTemplate | undefined> => {
    const place = await table().get<{ id: string }>(keys.buildTemplateName(name));
    return place && findBuildTemplate(place.id);
  },
};

/** Sealed secrets by field, each for `{ record: "build-template:<id>", field }`. */
export async function findBuildTemplateSecrets(id: string): Promise<SealedFields> {
  return (await table().get<{ sealed: SealedFields }>(keys.buildTemplateSecrets(id)))?.sealed ?? {};
}

/** A page of all templates by name, and how many there are. */
export async function pageOfBuildTemplates(
  page: number,
  pageSize: number,
): Promise<{ templates: BuildTemplateSummary[]; total: number }> {
  const place = { counter: counterName, list: lists.buildTemplates };
  const { summaries: templates, total } = await listedPage<BuildTemplateSummary>(place, page, pageSize);
  return { templates, total };
}

/** @throws ConditionFailed "build template name" when it is taken; others when what it refers to is gone */
export async function createBuildTemplate(template: BuildTemplate, secrets: SealedFields): Promise<void> {
  await table().write(
    create(await toItem(template)),
    takeName(template),
    putSecrets(template, secrets),
    count(counterName, 1),
    ...changeUses([], template.uses, userOf(template)),
  );
}

/** @throws ConditionFailed as `createBuildTemplate`, and when it changed, or was referred to, since it was read */
export async function changeBuildTemplate(
  before: VersionedBuildTemplate,
  after: BuildTemplate,
  secrets: SealedFields,
): Promise<void> {
  const isRenamed = before.name !== after.name;
  await table().write(
    replace(await toItem(after), before.version),
    ...(isRenamed ? [takeName(after), freeName(before)] : []),
    putSecrets(after, secrets),
    ...(isRenamed
      ? [...changeUses([], after.uses, userOf(after)), ...changeUses(before.uses, [], userOf(before))]
      : changeUses(before.uses, after.uses, userOf(after))),
  );
}

/** @throws ConditionFailed when it changed, or was referred to, since it was read */
export async function removeBuildTemplate(before: VersionedBuildTemplate): Promise<void> {
  await table().write(
    remove(keys.buildTemplate(before.id), mustHaveVersion(before.version)),
    freeName(before),
    remove(keys.buildTemplateSecrets(before.id)),
    count(counterName, -1),
    ...changeUses(before.uses, [], userOf(before)),
  );
}

function takeName({ id, name }: BuildTemplate): Write {
  return named("build template name", create({ ...keys.buildTemplateName(name), type: "build-template-name", id }));
}

function freeName({ id, name }: BuildTemplate): Write {
  return remove(keys.buildTemplateName(name), mustBeOneOf("id", [id]));
}

function putSecrets({ id }: BuildTemplate, sealed: SealedFields): Write {
  return overwrite({ ...keys.buildTemplateSecrets(id), type: "build-template-secrets", sealed });
}

function userOf({ name }: BuildTemplate): RecordUser {
  return { kind: "build template", projectKey: "", name };
}

async function toItem({ id, name, content, secretFields, uses }: BuildTemplate) {
  return {
    ...keys.buildTemplate(id),
    type: "build-template",
    ...{ id, name, secretFields, uses },
    text: await storeText(JSON.stringify(content)),
    listPk: lists.buildTemplates,
    listSk: name,
    summary: { id, name } satisfies BuildTemplateSummary,
  };
}

async function toTemplate({
  id,
  name,
  secretFields,
  uses,
  text,
  version,
}: Item<Stored>): Promise<VersionedBuildTemplate> {
  const content = JSON.parse(await readStoredText(text)) as BuildScript;
  return { id, name, content, secretFields, uses, version };
}
