import { equals, mustBeFreeOr, mustHaveVersion, mustLack } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { dues, type Key, keys, lists, padded, references } from "../../../base/store/keys/keys.ts";
import { retryOnConflict } from "../../../base/store/retryOnConflict.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { check, create, remove, replace, type Write } from "../../../base/store/writes.ts";
import { systemAdminRole, systemNamespace } from "../rules/actions.ts";
import type { Binding } from "../rules/policy.ts";
import { bindFirst } from "./bindings.ts";
import { countUsers } from "./peopleCounters.ts";
import { createPolicy, newSystemPolicy } from "./policies.ts";

export interface PasswordHash {
  algorithm: "scrypt";
  cost: number;
  blockSize: number;
  parallelization: number;
  salt: string;
  hash: string;
}

export interface User {
  uid: string;
  account: string;
  name: string;
  identityType: string;
  email: string;
  phone: string;
  password?: PasswordHash;
  /** SHA-256 of the default API token, the one of the contract. */
  apiTokenHash?: string;
  /** SHA-256 of the token of a session from when there was one a user; since then sessions are listed apart. */
  loginTokenHash?: string;
  /** Unix seconds since when signing in asks for a code; absent: it does not. */
  secondFactorAt?: number;
  apiTokenEnabled: boolean;
  lastLoginTime: number;
  createdAt: number;
  updatedAt: number;
  /** Ids of the groups the user was put into; absent: none. */
  groups?: ReadonlySet<string>;
  /** Of a user of an identity provider: the digest of issuer and subject, and the groups that its claims gave. */
  subject?: string;
  claimedGroups?: readonly string[];
  /** Set while what belongs to the user is being removed: no one sees the user, and its account stays taken. */
  deleting?: true;
}

const mustStand = mustLack("deleting");

/** What lists show of a user. */
export type UserSummary = Pick<User, "uid" | "account" | "name" | "identityType" | "lastLoginTime" | "createdAt">;

/** Creates a user; the account is taken in the same transaction. @throws ConditionFailed when it is taken */
export async function createUser(user: User): Promise<void> {
  await table().write(...userWrites(user));
}

/** Creates the first user as system administrator. @throws ConditionFailed when there was a first user before */
export async function createFirstUser(user: User): Promise<void> {
  const { policy, roleId } = await newSystemPolicy(user.uid);
  await table().write(
    create({ ...keys.initialized(), type: "initialized" }),
    ...userWrites(user),
    createPolicy(policy),
    bindFirst(user, { namespace: systemNamespace, roleIds: [roleId(systemAdminRole)] }),
  );
}

export async function isInitialized(): Promise<boolean> {
  return (await table().get(keys.initialized())) !== undefined;
}

function userWrites(user: User): Write[] {
  return [
    create(itemOf(user)),
    create({ ...keys.account(user.identityType, user.account), type: "account", uid: user.uid }),
    countUsers(user.identityType, 1),
    ...(user.subject === undefined ? [] : [create({ ...keys.subject(user.subject), type: "subject", uid: user.uid })]),
  ];
}

/** The uid of a user of an identity provider. */
export async function findUidBySubject(digest: string): Promise<string | undefined> {
  return (await table().get<{ uid: string }>(keys.subject(digest)))?.uid;
}

/** The item of a user; one who is being deleted is in no list. */
function itemOf(user: User): Key & { type: string } & Record<string, unknown> {
  const { uid, account, name, identityType, lastLoginTime, createdAt } = user;
  const summary: UserSummary = { uid, account, name, identityType, lastLoginTime, createdAt };
  const listed = {
    listPk: lists.users,
    listSk: `${account.toLowerCase()}#${identityType}`,
    summary,
    ...(lastLoginTime > 0 && { refPk: references.signIns, refSk: `${padded(lastLoginTime)}#${uid}` }),
  };
  return { ...withoutListing(user), ...keys.user(uid), type: "user", ...(!user.deleting && listed) };
}

/** A user that was read carries what the store added; that is computed again. */
function withoutListing(user: User): User {
  const { listPk, listSk, summary, refPk, refSk, ...rest } = user as User & Record<string, unknown>;
  return rest as User;
}

/** A user who is not being deleted. */
export async function findUser(uid: string): Promise<Item<User> | undefined> {
  const user = await findAnyUser(uid);
  return user?.deleting ? undefined : user;
}

/** A user, also one who is being deleted. */
export function findAnyUser(uid: string): Promise<Item<User> | undefined> {
  return table().get<User>(keys.user(uid));
}

/** Those of the named users who are not being deleted. */
export async function findUsers(uids: readonly string[]): Promise<User[]> {
  const users = await table().getMany<User>([...new Set(uids)].map(keys.user));
  return users.filter((user) => !user.deleting);
}

/** A user who is not being deleted and, in the same small read, what the user holds in the installation. */
export async function findProfile(uid: string): Promise<{ user: User; system: Binding | undefined } | undefined> {
  const { pk, sk } = keys.user(uid);
  const between = [sk, keys.grant(pk, systemNamespace).sk] as const;
  const items = await table().query<User & Binding>({ pk, between, consistent: false });
  const user = items.find((item) => item.sk === sk);
  return user === undefined || user.deleting ? undefined : { user, system: items.find((item) => item.sk !== sk) };
}

/** Users with this account, one for each identity type at most. */
export async function findUsersByAccount(account: string): Promise<UserSummary[]> {
  const prefix = `${account.toLowerCase()}#`;
  const items = await table().query<{ summary: UserSummary }>({ index: "list", pk: lists.users, prefix });
  return items.map(({ summary }) => summary);
}

/** A page of all users by account. */
export async function pageOfUsers(page: number, pageSize: number): Promise<UserSummary[]> {
  const items = await table().query<{ summary: UserSummary }>({
    index: "list",
    pk: lists.users,
    limit: page * pageSize,
  });
  return items.slice((page - 1) * pageSize).map(({ summary }) => summary);
}

/** All users by account. */
export async function listUsers(): Promise<UserSummary[]> {
  const items = await table().query<{ summary: UserSummary }>({ index: "list", pk: lists.users });
  return items.map(({ summary }) => summary);
}

/** How many users signed in since then (Unix seconds). */
export async function countSignedInSince(time: number): Promise<number> {
  const between = [padded(time), "~"] as const;
  return (await table().query<object>({ index: "references", pk: references.signIns, between })).length;
}

/** Holds in a transaction that the user is there and not being deleted. */
export const userMustStand = (uid: string): Write => check(keys.user(uid), mustStand);

export async function findUserByAccount(identityType: string, account: string): Promise<Item<User> | undefined> {
  const pointer = await table().get<{ uid: string }>(keys.account(identityType, account));
  return findUser(pointer?.uid ?? "");
}

/**
 * The first step of a deletion: from then on no one is signed in as the user or sees the user; the reconciler knows
 * that something is left.
 */
export async function markUserDeleting(user: Item<User>, ...writes: readonly Write[]): Promise<void> {
  const due = { duePk: dues.identityRemovals, dueSk: `${padded(nowSeconds())}#${user.uid}` };
  await table().write(
    replace({ ...itemOf({ ...user, deleting: true }), ...due }, user.version),
    countUsers(user.identityType, -1),
    ...writes,
  );
}

/** The last step: account and subject are free again. @throws ConditionFailed when the user was changed */
export async function removeUserRecord(user: Item<User>): Promise<void> {
  const { uid, identityType, account, subject, version } = user;
  await table().write(
    remove(keys.user(uid), mustHaveVersion(version)),
    ...(subject === undefined ? [] : [remove(keys.subject(subject))]),
    remove(keys.account(identityType, account), mustBeFreeOr(equals("uid", uid))),
  );
}

/** What a change makes of a user, with writes that belong to the same transaction. */
export interface UserChange {
  user: User;
  writes?: readonly Write[];
}

/**
 * Changes a user in one transaction, unless it is being deleted, and tries again when another process changed it in
 * between. A `change` that returns nothing leaves everything as it is.
 * @returns the user as it is now; undefined when there is none
 */
export function changeUser(
  uid: string,
  change: (user: User) => UserChange | undefined | Promise<UserChange | undefined>,
): Promise<User | undefined> {
  return retryOnConflict(async () => {
    const before = await findUser(uid);
    if (before === undefined) return undefined;
    const changed = await change(before);
    if (changed === undefined) return before;
    await table().write(replace(itemOf(changed.user), before.version), ...(changed.writes ?? []));
    return changed.user;
  });
}
