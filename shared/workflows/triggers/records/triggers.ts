import { mustBeOneOf, mustHaveVersion } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { dues, keys, padded, references } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import { endUse, type RecordUser, startUse } from "../../../base/store/uses.ts";
import { check, create, named, remove, replace, type Write } from "../../../base/store/writes.ts";
import { codeHosts } from "../../../integrations/store/codeHosts.ts";
import type { CronTrigger, Trigger, TriggerKind } from "../rules/trigger.ts";

/** Whose trigger, of which kind, under which name. */
export interface TriggerPlace<K extends TriggerKind = TriggerKind> {
  workflowKey: string;
  kind: K;
  name: string;
}

export type OfKind<K extends TriggerKind> = Extract<Trigger, { kind: K }>;

/** Also one of an earlier workflow under the key, and one that is being removed: `isStanding` excludes them. */
export function findTrigger<K extends TriggerKind>(place: TriggerPlace<K>): Promise<Item<OfKind<K>> | undefined> {
  return table().get<OfKind<K>>(keys.trigger(place.workflowKey, place.kind, place.name));
}

export function isStanding(trigger: Trigger | undefined, workflowId: string): boolean {
  return trigger?.workflowId === workflowId && !("removed" in trigger);
}

/** The existing triggers of a workflow, of one kind, by name. */
export async function listTriggers<K extends TriggerKind>(
  owner: { workflowKey: string; workflowId: string },
  kind: K,
): Promise<Item<OfKind<K>>[]> {
  const { pk, sk } = keys.trigger(owner.workflowKey, kind, "");
  const found = await table().query<OfKind<K>>({ pk, prefix: sk, consistent: false });
  return found.filter((one) => isStanding(one, owner.workflowId));
}

/** Stores a trigger over what was read under its name. */
export function putTrigger(trigger: Trigger, before: Item<Trigger> | undefined): Write {
  const item = {
    ...withoutStored(trigger),
    ...keys.trigger(trigger.workflowKey, trigger.kind, trigger.name),
    type: "trigger",
    ...(trigger.kind === "cron" && trigger.unsynced && dueNow(trigger)),
    ...(trigger.kind === "webhook" && listenedTo(trigger)),
    ...(trigger.kind === "workflowhook" && following(trigger)),
  };
  return before === undefined ? create(item) : replace(item, before.version);
}

/** @param read as it was read */
export function removeTrigger(read: Item<Trigger>): Write {
  return remove(keys.trigger(read.workflowKey, read.kind, read.name), mustHaveVersion(read.version));
}

/** For the transaction that stores a trigger of the workflow. */
export function ownerMustStand({ workflowKey, workflowId }: Pick<Trigger, "workflowKey" | "workflowId">): Write {
  return named("workflow", check(keys.workflow(workflowKey), mustBeOneOf("workflowId", [workflowId])));
}

/** Everything of a workflow that is gone; schedules are left to the reconciler. @returns whether there are any */
export async function removeTriggers(workflowKey: string, workflowId: string): Promise<boolean> {
  const found = await table().query<Trigger>({ pk: keys.trigger(workflowKey, "", "").pk });
  const own = found.filter((one) => one.workflowId === workflowId);
  for (const one of own) await tryWrite(table().write(...withdrawal(one)));
  return own.some(({ kind }) => kind === "cron");
}

/** Takes a trigger away; a cron goes once the scheduler knows it no more. */
export function withdrawal(read: Item<Trigger>): Write[] {
  if (read.kind === "cron") return [putTrigger({ ...read, removed: true, unsynced: true }, read)];
  return [removeTrigger(read), ...changeCodeHost(read, undefined)];
}

/** For the transaction in which a trigger comes, changes or goes: the code host that it listens to stays as long as it. */
export function changeCodeHost(before: Trigger | undefined, after: Trigger | undefined): Write[] {
  const [former, next] = [useOf(before), useOf(after)];
  const isSame = former !== undefined && next !== undefined && former.name === next.name;
  return [
    ...(former === undefined || isSame ? [] : [endUse(former.record, former.user)]),
    ...(next === undefined ? [] : startUse(next.record, next.user)),
  ];
}

function useOf(trigger: Trigger | undefined) {
  if (trigger?.kind !== "webhook") return undefined;
  const { codeHostId, projectKey, workflowKey, name } = trigger;
  const user: RecordUser = { kind: "trigger", projectKey, name: `${workflowKey}/${name}` };
  return { record: { key: codeHosts.key(codeHostId) }, user, name: `${codeHostId}#${projectKey}` };
}

/** What listens to a repository, of whichever workflows; `path` is its namespace and its name. */
export function triggersOfRepository(codeHostId: string, path: string): Promise<OfKind<"webhook">[]> {
  return triggersUnder<"webhook">(references.repositoryTriggers(codeHostId, path));
}

/** What follows a workflow, of whichever workflows. */
export function triggersAfter(workflowId: string): Promise<OfKind<"workflowhook">[]> {
  return triggersUnder<"workflowhook">(references.workflowTriggers(workflowId));
}

async function triggersUnder<K extends TriggerKind>(pk: string): Promise<OfKind<K>[]> {
  const found = await table().query<object>({ index: "references", pk });
  return table().getMany<OfKind<K>>(found.map(({ pk, sk }) => ({ pk, sk })));
}

function following({ after, workflowKey, name }: OfKind<"workflowhook">) {
  return { refPk: references.workflowTriggers(after.workflowId), refSk: `${workflowKey}#${name}` };
}

function listenedTo({ codeHostId, namespace, repository, workflowKey, name }: OfKind<"webhook">) {
  const refPk = references.repositoryTriggers(codeHostId, `${namespace}/${repository}`);
  return { refPk, refSk: `${workflowKey}#${name}` };
}

/** Crons that the scheduler does not know as they are stored. */
export async function dueCrons(): Promise<TriggerPlace<"cron">[]> {
  const items = await table().query<object>({ index: "due", pk: dues.cronTriggers });
  return items.map(({ pk, sk }) => ({
    workflowKey: pk.slice(pk.indexOf("#") + 1),
    kind: "cron",
    name: sk.slice(keys.trigger("", "cron", "").sk.length),
  }));
}

function dueNow({ workflowId, name }: CronTrigger) {
  return { duePk: dues.cronTriggers, dueSk: `${padded(nowSeconds())}#${workflowId}#${name}` };
}

/** Without what the table keeps beside it: a trigger is written over what was read. */
function withoutStored(trigger: Trigger): Trigger {
  const { pk: _pk, sk: _sk, version: _version, duePk: _duePk, dueSk: _dueSk, ...own } = trigger as Trigger & Stored;
  return own as Trigger;
}

type Stored = { pk?: string; sk?: string; version?: number; duePk?: string; dueSk?: string };
