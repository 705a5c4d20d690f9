import { contains, mustHaveVersion, mustLack } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { dues, type Key, keys, lists, padded } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { check, create, named, remove, replace, update, type Write } from "../../../base/store/writes.ts";
import { systemNamespace } from "../rules/actions.ts";
import { countGroups, type PeopleCounters, peopleCountersKey, peopleCountersOf } from "./peopleCounters.ts";
import type { StoredPolicy } from "./policies.ts";

/** A group of users (contract I 5.4). Every user belongs to `all-users`, which has no record. */
export interface Group {
  groupId: string;
  /** Unique; names that differ only by case are the same. */
  name: string;
  description: string;
  userTotal: number;
  /** Unix seconds. */
  createdAt: number;
  updatedAt: number;
  /** Set while what belongs to it is being taken away: it is shown nowhere, and its name stays taken. */
  deleting?: true;
}

/** What lists show of a group. */
export type GroupSummary = Pick<Group, "groupId" | "name" | "description" | "userTotal">;

/** How many members one transaction can take in or let go. */
export const maxMembersAtOnce = 45;

const mustStand = mustLack("deleting");

/** A standing group of the kind that people make; `all-users` is none. */
export async function findGroup(groupId: string): Promise<Item<Group> | undefined> {
  const group = await findAnyGroup(groupId);
  return group?.deleting ? undefined : group;
}

/** A group, also one that is being deleted. */
export function findAnyGroup(groupId: string): Promise<Item<Group> | undefined> {
  return table().get<Group>(keys.group(groupId));
}

/** Id of the group with this name, whatever its case. */
export async function findGroupIdByName(name: string): Promise<string | undefined> {
  return (await table().get<{ groupId: string }>(keys.groupName(name)))?.groupId;
}

/** A standing group with the uids of its members, read at once. */
export async function findGroupWithMembers(groupId: string): Promise<{ group: Group; uids: string[] } | undefined> {
  const { pk, sk } = keys.group(groupId);
  const items = await table().query<Group>({ pk, between: [sk, `${memberPrefix}~`], consistent: false });
  const group = items.find((item) => item.sk === sk);
  if (group === undefined || group.deleting) return undefined;
  const members = items.filter((item) => item.sk.startsWith(memberPrefix));
  return { group, uids: members.map((member) => member.sk.slice(memberPrefix.length)) };
}

const memberPrefix = keys.groupMember("", "").sk;

/** Holds in a transaction that the group is there and not being deleted. */
export const groupMustStand = (groupId: string): Write => check(keys.group(groupId), mustStand);

/** uids of a group's members, sorted; of `all-users` none, because no user is added to it. */
export async function membersOf(groupId: string): Promise<string[]> {
  const members = await table().query<object>({ pk: keys.group(groupId).pk, prefix: memberPrefix });
  return members.map((member) => member.sk.slice(memberPrefix.length));
}

/** How many people there are, and which groups hold roles of the installation: what every list of groups shows. */
export async function findGroupTotals(): Promise<{ counters: PeopleCounters; system: StoredPolicy | undefined }> {
  const wanted = [peopleCountersKey, keys.policy(systemNamespace)];
  const items = await table().getMany<StoredPolicy>(wanted, { consistent: false });
  const isCounter = ({ pk }: Key): boolean => pk === peopleCountersKey.pk;
  return { counters: peopleCountersOf(items.find(isCounter)), system: items.find((item) => !isCounter(item)) };
}

/** Groups by their ids together with the installation's roles, in one batch. */
export async function findGroupsAndSystemRoles(
  groupIds: readonly string[],
): Promise<{ groups: Group[]; system: StoredPolicy | undefined }> {
  const wanted = [keys.policy(systemNamespace), ...new Set(groupIds)].map((one) =>
    typeof one === "string" ? keys.group(one) : one,
  );
  const items = await table().getMany<Group & StoredPolicy>(wanted, { consistent: false });
  const groups = items.filter((item) => item.type === "group" && !item.deleting);
  return {
    groups: groups.sort((a, b) => (a.name < b.name ? -1 : 1)),
    system: items.find((item) => item.type === "policy"),
  };
}

/** A page of the groups that people made, the one changed last first. */
export async function pageOfGroups(page: number, pageSize: number): Promise<GroupSummary[]> {
  const items = await table().query<{ summary: GroupSummary }>({
    index: "list",
    pk: lists.groups,
    descending: true,
    limit: page * pageSize,
  });
  return items.slice((page - 1) * pageSize).map(({ summary }) => summary);
}

/** All groups that people made, the one changed last first. */
export async function listGroups(): Promise<GroupSummary[]> {
  const items = await table().query<{ summary: GroupSummary }>({ index: "list", pk: lists.groups, descending: true });
  return items.map(({ summary }) => summary);
}

/** @throws ConditionFailed "group name" when it is taken */
export async function createGroup(group: Group): Promise<void> {
  await table().write(takeName(group), create(itemOf(group)), countGroups(1));
}

/** @throws ConditionFailed "group name" when the new one is taken, else when the group was changed */
export async function renameGroup(before: Item<Group>, name: string, description: string): Promise<void> {
  const after: Group = { ...before, name, description, updatedAt: nowSeconds() };
  const isSameName = name.toLowerCase() === before.name.toLowerCase();
  const writes = isSameName ? [] : [takeName(after), remove(keys.groupName(before.name))];
  await table().write(...writes, replace(itemOf(after), before.version));
}

function takeName({ name, groupId }: Group): Write {
  return named("group name", create({ ...keys.groupName(name), type: "group-name", groupId }));
}

/** Puts users into a group who are not in it; fails when one of them is gone, or in it, or the group was changed. */
export function membersJoin(group: Item<Group>, uids: readonly string[]): Write[] {
  const groups = new Set([group.groupId]);
  return [
    replace(itemOf({ ...group, userTotal: group.userTotal + uids.length, updatedAt: nowSeconds() }), group.version),
    ...uids.flatMap((uid): Write[] => [
      create({ ...keys.groupMember(group.groupId, uid), type: "group-member" }),
      update(keys.user(uid), { add: { groups } }, mustStand),
    ]),
  ];
}

/** Takes users out of a group who are in it; fails when one of them is not, or the group was changed. */
export function membersLeave(group: Item<Group>, uids: readonly string[]): Write[] {
  const groups = new Set([group.groupId]);
  const mustBeIn = contains("groups", group.groupId);
  return [
    replace(itemOf({ ...group, userTotal: group.userTotal - uids.length, updatedAt: nowSeconds() }), group.version),
    ...uids.flatMap((uid): Write[] => [
      remove(keys.groupMember(group.groupId, uid)),
      update(keys.user(uid), { takeFrom: { groups } }, mustBeIn),
    ]),
  ];
}

/** The first step of a deletion: the group is gone for everybody; the reconciler knows that something is left. */
export async function markGroupDeleting(group: Item<Group>): Promise<void> {
  const due = { duePk: dues.identityRemovals, dueSk: `${padded(nowSeconds())}#${group.groupId}` };
  await table().write(replace({ ...itemOf({ ...group, deleting: true }), ...due }, group.version), countGroups(-1));
}

/** The last step: the name is free again. @throws ConditionFailed when the group was changed */
export async function removeGroupRecord({ groupId, name, version }: Item<Group>): Promise<void> {
  await table().write(remove(keys.group(groupId), mustHaveVersion(version)), remove(keys.groupName(name)));
}

/** The item of a group; one that is being deleted is in no list and keeps its deadline. */
function itemOf(group: Group): Key & { type: string } & Record<string, unknown> {
  const { groupId, name, description, userTotal, createdAt, updatedAt, deleting } = group;
  const { duePk, dueSk } = group as Group & { duePk?: string; dueSk?: string };
  const summary: GroupSummary = { groupId, name, description, userTotal };
  const content = { groupId, name, description, userTotal, createdAt, updatedAt };
  const listed = { listPk: lists.groups, listSk: `${padded(updatedAt)}#${groupId}`, summary };
  return { ...content, ...keys.group(groupId), type: "group", ...(deleting ? { deleting, duePk, dueSk } : listed) };
}
