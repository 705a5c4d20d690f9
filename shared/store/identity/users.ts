import { projectAdminRole, systemAdminRole, systemNamespace } from "../../domain/identity/actions.ts";
import type { NamespaceGrant } from "../../domain/identity/grants.ts";
import { nowSeconds } from "../ids.ts";
import { keys, references } from "../keys.ts";
import type { Item } from "../table.ts";
import { table } from "../theTable.ts";
import { create, mustExist, remove, replace, update, type Write } from "../writes.ts";
import type { TokenRecord } from "./tokens.ts";

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
  apiTokenHash?: string;
  loginTokenHash?: string;
  apiTokenEnabled: boolean;
  lastLoginTime: number;
  createdAt: number;
  updatedAt: number;
}

const allUsers = "group#all-users";

export function subjectOfUser(uid: string): string {
  return `user#${uid}`;
}

/** Creates a user; the account is taken in the same transaction. @throws ConditionFailed [1] when it is taken */
export async function createUser(user: User): Promise<void> {
  await table().write(...userWrites(user));
}

/** Creates the first user as system administrator. @throws ConditionFailed [0] when there was a first user before */
export async function createFirstUser(user: User): Promise<void> {
  await table().write(
    create({ ...keys.initialized(), type: "initialized" }),
    ...userWrites(user),
    createGrant(subjectOfUser(user.uid), systemAdminGrant),
  );
}

export async function isInitialized(): Promise<boolean> {
  return (await table().get(keys.initialized())) !== undefined;
}

function userWrites(user: User): Write[] {
  return [
    create({ ...keys.user(user.uid), type: "user", ...user }),
    create({ ...keys.account(user.identityType, user.account), type: "account", uid: user.uid }),
  ];
}

export function findUser(uid: string): Promise<Item<User> | undefined> {
  return table().get<User>(keys.user(uid));
}

export async function findUserByAccount(identityType: string, account: string): Promise<Item<User> | undefined> {
  const pointer = await table().get<{ uid: string }>(keys.account(identityType, account));
  return findUser(pointer?.uid ?? "");
}

/** Makes `hash` the one token of its kind; the token it replaces stops working in the same transaction. */
export async function setToken(user: Item<User>, hash: string, token: TokenRecord): Promise<void> {
  const field = token.kind === "api" ? "apiTokenHash" : "loginTokenHash";
  const previous = user[field];
  const { version, ...content } = user;
  const changed = {
    ...content,
    [field]: hash,
    ...(token.kind === "login" && { lastLoginTime: nowSeconds() }),
  };
  await table().write(
    replace(changed, version),
    {
      kind: "put",
      item: {
        ...keys.token(hash),
        type: "token",
        version: 1,
        ...token,
        ...(token.expiresAt && { ttl: token.expiresAt }),
      },
      condition: {
        expression: "attribute_not_exists(pk) OR #uid = :uid",
        names: { "#uid": "uid" },
        values: { ":uid": user.uid },
      },
    },
    ...(previous === undefined || previous === hash ? [] : [remove(keys.token(previous))]),
  );
}

export async function setPassword(uid: string, password: PasswordHash): Promise<void> {
  await table().write(update(keys.user(uid), { set: { password, updatedAt: nowSeconds() } }, mustExist));
}

/** Takes the login token away; harmless when it is gone. */
export async function removeLoginToken(user: Item<User>): Promise<void> {
  const { version, loginTokenHash, ...content } = user;
  if (loginTokenHash === undefined) return;
  await table().write(replace(content, version), remove(keys.token(loginTokenHash)));
}

/** Profile and grants that one decision needs, in one round trip; for `everywhere` the whole partitions. */
export async function loadSubject(
  uid: string,
  where: "everywhere" | { projectKey: string | undefined },
): Promise<{ user: User | undefined; own: NamespaceGrant[]; allUsers: NamespaceGrant[] }> {
  const subject = subjectOfUser(uid);
  const items =
    where === "everywhere"
      ? (await Promise.all([subject, allUsers].map((pk) => table().query<User & NamespaceGrant>({ pk })))).flat()
      : await table().getMany<User & NamespaceGrant>([
          keys.user(uid),
          keys.grant(subject, systemNamespace),
          ...(where.projectKey === undefined
            ? []
            : [keys.grant(subject, where.projectKey), keys.grant(allUsers, where.projectKey)]),
        ]);
  const grantsOf = (pk: string): NamespaceGrant[] => items.filter((item) => item.pk === pk && item.type === "grant");
  return {
    user: items.find((item) => item.type === "user"),
    own: grantsOf(subject),
    allUsers: grantsOf(allUsers),
  };
}

/** The first grant of a subject in a namespace; later changes go through the grant's version. */
export function createGrant(subject: string, grant: NamespaceGrant): Write {
  return create({
    ...keys.grant(subject, grant.namespace),
    type: "grant",
    ...grant,
    refPk: references.namespace(grant.namespace),
    refSk: subject,
  });
}

/** Grants that come with a new project: its creator administers it; a public one is readable by everybody. */
export function projectGrants(projectKey: string, creator: string, readOnly: readonly string[] | undefined): Write[] {
  return [
    createGrant(subjectOfUser(creator), { namespace: projectKey, roles: { [projectAdminRole]: [] } }),
    ...(readOnly === undefined
      ? []
      : [createGrant(allUsers, { namespace: projectKey, roles: { "read-only": readOnly } })]),
  ];
}

/** Grants of a system administrator. */
export const systemAdminGrant: NamespaceGrant = { namespace: systemNamespace, roles: { [systemAdminRole]: [] } };

/** Removes every grant in a namespace, in transactions of 100; may be repeated. */
export async function removeGrantsOf(namespace: string): Promise<void> {
  const grants = await table().query<object>({ index: "references", pk: references.namespace(namespace) });
  for (let at = 0; at < grants.length; at += 100) {
    await table().write(...grants.slice(at, at + 100).map((grant) => remove({ pk: grant.pk, sk: grant.sk })));
  }
}
