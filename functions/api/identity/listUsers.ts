import { listUserBindings } from "../../../shared/access/identity/store/bindings.ts";
import { readPeopleCounters } from "../../../shared/access/identity/store/peopleCounters.ts";
import { findPolicy } from "../../../shared/access/identity/store/policies.ts";
import {
  findUsers,
  findUsersByAccount,
  listUsers,
  pageOfUsers,
  type UserSummary,
} from "../../../shared/access/identity/store/users.ts";

/** What users are looked for by; an empty text or list looks for nothing (contract I 5.1, I 11). */
export interface UserSearch {
  account: string;
  /** Empty: `system` when an account is given, else all; `*`: all. */
  identityType: string;
  /** Part of the display name; not looked at when an account is given. */
  name: string;
  email: string;
  phone: string;
  uids: readonly string[];
  /** Names of roles that a user must be bound to directly, in this namespace. */
  roles: readonly string[];
  namespace: string;
  orderBy: keyof typeof order;
  descending: boolean;
}

export interface UserPage {
  users: UserSummary[];
  total: number;
}

export const everybody: UserSearch = {
  account: "",
  identityType: "",
  name: "",
  email: "",
  phone: "",
  uids: [],
  roles: [],
  namespace: "*",
  orderBy: "account",
  descending: false,
};

type Compare = (a: UserSummary, b: UserSummary) => number;

const byAccount: Compare = (a, b) => (listed(a) < listed(b) ? -1 : 1);
const order = {
  account: byAccount,
  name: (a, b) => (a.name === b.name ? byAccount(a, b) : a.name < b.name ? -1 : 1),
  last_login_time: (a, b) => a.lastLoginTime - b.lastLoginTime || byAccount(a, b),
  created_at: (a, b) => a.createdAt - b.createdAt || byAccount(a, b),
} satisfies Record<string, Compare>;

/**
 * A page of the users that fit. Everybody's is read from the index as it is shown; anything else looks at all who could
 * fit, so its cost grows with them.
 */
export async function listUsersThatFit(search: UserSearch, page: number, pageSize: number): Promise<UserPage> {
  if (isForEverybody(search)) {
    const [users, { users: total }] = await Promise.all([pageOfUsers(page, pageSize), readPeopleCounters()]);
    return { users, total };
  }
  const fitting = (await candidates(search)).filter((user) => fits(search, user));
  const sorted = fitting.sort((a, b) => order[search.orderBy](a, b) * (search.descending ? -1 : 1));
  return { users: sorted.slice((page - 1) * pageSize, page * pageSize), total: sorted.length };
}

function isForEverybody({ identityType, ...search }: UserSearch): boolean {
  const texts = [search.account, search.name, search.email, search.phone, identityType === "*" ? "" : identityType];
  const isPlain = search.orderBy === "account" && !search.descending;
  return isPlain && texts.every((text) => text === "") && search.uids.length === 0 && search.roles.length === 0;
}

/** Those among whom to look, by the narrowest condition. Addresses stand in whole records only. */
async function candidates(search: UserSearch): Promise<UserSummary[]> {
  const { account, uids, roles, namespace, email, phone } = search;
  if (account !== "") return wholeIf(email !== "" || phone !== "", await findUsersByAccount(account));
  if (roles.length > 0) {
    const bound = await findUsersBound(namespace, roles);
    return findUsers(uids.length > 0 ? uids.filter((uid) => bound.includes(uid)) : bound);
  }
  if (uids.length > 0) return findUsers(uids);
  return wholeIf(email !== "" || phone !== "", await listUsers());
}

function wholeIf(isNeeded: boolean, users: UserSummary[]): Promise<UserSummary[]> | UserSummary[] {
  return isNeeded ? findUsers(users.map(({ uid }) => uid)) : users;
}

function fits(search: UserSearch, user: UserSummary & { email?: string; phone?: string }): boolean {
  const { account, email, phone, uids } = search;
  const identityType = search.identityType === "" && account !== "" ? "system" : search.identityType;
  return (
    (account === "" || user.account.toLowerCase() === account.toLowerCase()) &&
    (identityType === "" || identityType === "*" || user.identityType === identityType) &&
    (account !== "" || user.name.includes(search.name)) &&
    (email === "" || user.email === email) &&
    (phone === "" || user.phone === phone) &&
    (uids.length === 0 || uids.includes(user.uid))
  );
}

function listed({ account, identityType }: UserSummary): string {
  return `${account.toLowerCase()}#${identityType}`;
}

/** uids of the users who are bound directly to one of the named roles of a namespace. */
async function findUsersBound(namespace: string, roleNames: readonly string[]): Promise<string[]> {
  const [policy, bindings] = await Promise.all([findPolicy(namespace), listUserBindings(namespace)]);
  const ids = Object.entries(policy?.roles ?? {}).flatMap(([id, { name }]) => (roleNames.includes(name) ? [id] : []));
  return bindings.flatMap(({ uid, roleIds }) => (roleIds.some((id) => ids.includes(String(id))) ? [uid] : []));
}
