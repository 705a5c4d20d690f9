import { mustHaveVersion, mustNotExist } from "../../base/store/conditions.ts";
import { type Key, keys, lists } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { create, remove, replace, type Write } from "../../base/store/writes.ts";

/** A definition of a label; services are bound to it with a value of their own (contract P 26). */
export interface Label {
  labelId: string;
  /** Unique. */
  key: string;
  description: string;
  /** Unix seconds. */
  createdAt: number;
  updatedAt: number;
}

/** The keys of all labels by their ids, and the version that was read; there is none before the first label. */
export interface LabelKeys {
  byId: Readonly<Record<string, string>>;
  version: number | undefined;
}

/** Keeps the item that holds all keys small. */
export const maxLabels = 500;

/** All labels by key. */
export async function listLabels(): Promise<Label[]> {
  const items = await table().query<{ summary: Label }>({ index: "list", pk: lists.labels });
  return items.map(({ summary }) => summary);
}

export function findLabel(labelId: string): Promise<Item<Label> | undefined> {
  return table().get<Label>(keys.label(labelId));
}

export async function findLabelKeys(options: { consistent?: boolean } = {}): Promise<LabelKeys> {
  const item = await table().get<{ byId: LabelKeys["byId"] }>(keys.labelKeys(), options);
  return { byId: item?.byId ?? {}, version: item?.version };
}

/** @throws ConditionFailed when other labels changed since `before` was read */
export async function createLabel(label: Label, before: LabelKeys): Promise<void> {
  await table().write(create(itemOf(label)), replaceKeys(before, { ...before.byId, [label.labelId]: label.key }));
}

/** @throws ConditionFailed when the label, or other labels, changed since they were read */
export async function changeLabel(label: Label, version: number, before: LabelKeys): Promise<void> {
  const byId = { ...before.byId, [label.labelId]: label.key };
  await table().write(replace(itemOf(label), version), replaceKeys(before, byId));
}

/** Bindings to the label stay. @throws ConditionFailed as `changeLabel` */
export async function removeLabel({ labelId, version }: Item<Label>, before: LabelKeys): Promise<void> {
  const byId = Object.fromEntries(Object.entries(before.byId).filter(([id]) => id !== labelId));
  await table().write(remove(keys.label(labelId), mustHaveVersion(version)), replaceKeys(before, byId));
}

function replaceKeys({ version }: LabelKeys, byId: LabelKeys["byId"]): Write {
  return {
    kind: "put",
    item: { ...keys.labelKeys(), type: "label-keys", version: (version ?? 0) + 1, byId },
    condition: version === undefined ? mustNotExist : mustHaveVersion(version),
  };
}

function itemOf(label: Label): Key & { type: string } & Record<string, unknown> {
  const { labelId, key, description, createdAt, updatedAt } = label;
  const summary: Label = { labelId, key, description, createdAt, updatedAt };
  return { ...summary, ...keys.label(labelId), type: "label", listPk: lists.labels, listSk: key, summary };
}
