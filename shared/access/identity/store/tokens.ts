import {
  absent,
  atMost,
  both,
  type Condition,
  either,
  equals,
  mustBeFreeOr,
  mustExist,
} from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { type Key, keys } from "../../../base/store/keys/keys.ts";
import { unrecorded } from "../../../base/store/storeCalls.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { create, named, overwrite, remove, replace, update, type Write } from "../../../base/store/writes.ts";
import type { TokenLimits } from "../rules/grants.ts";
import { changeUser, userMustStand } from "./users.ts";

export type TokenScope = "read" | "write";

/** What is found by the hash of a token that was sent. */
export interface TokenRecord {
  uid: string;
  kind: "api" | "login";
  /** Unix seconds; absent: never. */
  expiresAt?: number;
  /** What it may do less than its user; absent: nothing less. */
  limits?: TokenLimits;
  /** Of an API token: its id in the user's list. */
  tokenId?: string;
  /** Its name in that list; absent in records that are older than this. */
  tokenName?: string;
  /** Of a session: its user has to enrol a second factor before anything else (decisions 17.8). */
  mustEnrol?: true;
  /** Unix seconds, written at most once a minute, of a session once an hour. */
  lastUsedAt?: number;
}

/** An API token in the list of its user (decisions 3.2). */
export interface ApiToken {
  tokenId: string;
  name: string;
  scope: TokenScope;
  /** Project keys; none: all that the user can reach. */
  projects: readonly string[];
  /** Unix seconds; absent: never. */
  expiresAt?: number;
  lastUsedAt: number;
  createdAt: number;
  hash: string;
}

/** Name of the token that the contract knows; it can be taken by no other. */
export const defaultTokenName = "default";

/** The default token keeps one id through all its renewals. */
export function defaultTokenId(uid: string): string {
  return uid.replaceAll("-", "").slice(0, 24);
}

/** A session is used by many requests of one page; its list tells an hour from another, and no more. */
const secondsBetweenUses: Record<TokenRecord["kind"], number> = { api: 60, login: 3600 };

/** The record of a token by the SHA-256 of its text. */
export function findToken(hash: string): Promise<Item<TokenRecord> | undefined> {
  return table().get<TokenRecord>(keys.token(hash));
}

/** Lets `hash` be the token of a session. */
export function tokenBegins(hash: string, record: TokenRecord): Write {
  return create(tokenItem(hash, record));
}

function removed(hash: string | undefined): Write[] {
  return hash === undefined ? [] : [remove(keys.token(hash))];
}

/**
 * Makes `hash` the user's default API token; the one before stops working in the same transaction.
 * @returns whether it was made
 */
export async function setDefaultToken(uid: string, hash: string, when?: "unless there is one"): Promise<boolean> {
  let isMade = false;
  await changeUser(uid, (user) => {
    const previous = user.apiTokenHash;
    isMade = when === undefined || previous === undefined;
    if (!isMade) return undefined;
    const token = defaultToken(uid, hash);
    return {
      user: { ...user, apiTokenHash: hash },
      writes: [
        { kind: "put", item: { ...tokenItem(hash, recordOf(uid, token)), version: 1 }, condition: mustBeOf(uid) },
        overwrite(listItem(uid, token)),
        ...(previous === hash ? [] : removed(previous)),
      ],
    };
  });
  return isMade;
}

function defaultToken(uid: string, hash: string): ApiToken {
  const tokenId = defaultTokenId(uid);
  return {
    tokenId,
    name: defaultTokenName,
    scope: "write",
    projects: [],
    lastUsedAt: 0,
    createdAt: nowSeconds(),
    hash,
  };
}

/** The API tokens of a user by name. */
export async function listApiTokens(
  uid: string,
  options: { consistent?: boolean } = { consistent: false },
): Promise<Item<ApiToken>[]> {
  const { pk, sk } = keys.apiToken(uid, "");
  const tokens = await table().query<ApiToken>({ pk, prefix: sk, ...options });
  return tokens.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function findApiToken(uid: string, tokenId: string): Promise<Item<ApiToken> | undefined> {
  return table().get<ApiToken>(keys.apiToken(uid, tokenId));
}

/** @throws ConditionFailed "token name" when the user has a token of that name */
export async function createApiToken(uid: string, token: ApiToken): Promise<void> {
  const { name, tokenId } = token;
  await table().write(
    named("token name", create({ ...keys.apiTokenName(uid, name), type: "api-token-name", tokenId })),
    userMustStand(uid),
    create(listItem(uid, token)),
    create(tokenItem(token.hash, recordOf(uid, token))),
  );
}

/** Gives a token another text: the one before stops working in the same transaction. @throws ConditionFailed */
export async function rotateApiToken(uid: string, before: Item<ApiToken>, hash: string): Promise<void> {
  const after: ApiToken = { ...before, hash, lastUsedAt: 0 };
  await table().write(
    userMustStand(uid),
    replace(listItem(uid, after), before.version),
    create(tokenItem(hash, recordOf(uid, after))),
    ...removed(before.hash),
  );
}

/** The id of a session is the beginning of its token's hash, so a token knows its session. */
export function sessionIdOf(hash: string): string {
  return hash.slice(0, 24);
}

/** Everything that takes an API token away. */
export function revokeWrites(uid: string, { tokenId, name, hash }: ApiToken): Write[] {
  return [remove(keys.apiToken(uid, tokenId)), remove(keys.apiTokenName(uid, name)), ...removed(hash)];
}

/** The keys of everything that belongs to the tokens of a user, those of sessions included. */
export async function allTokenKeys(uid: string, loginTokenHash: string | undefined): Promise<Key[]> {
  const items = await table().query<Partial<ApiToken>>({ pk: keys.apiToken(uid, "").pk });
  const hashes = [...items.map(({ hash }) => hash), loginTokenHash].filter((hash) => hash !== undefined);
  return [...hashes.map(keys.token), ...items.map(({ pk, sk }) => ({ pk, sk }))];
}

/** Notes that a token was used: once a minute, of a session once an hour, however many requests come at the same moment. */
export async function recordTokenUse(hash: string, { uid, kind, tokenId, lastUsedAt }: TokenRecord): Promise<void> {
  const now = nowSeconds();
  const longAgo = now - secondsBetweenUses[kind];
  if ((lastUsedAt ?? 0) > longAgo) return;
  const inList = tokenId === undefined ? keys.session(uid, sessionIdOf(hash)) : keys.apiToken(uid, tokenId);
  const use = { set: { lastUsedAt: now } };
  await unrecorded(async () => {
    const isFirst = await table().updateOne(update(keys.token(hash), use, mustBeUnusedSince(longAgo)));
    if (isFirst) await table().updateOne(update(inList, use, mustExist));
  });
}

function mustBeUnusedSince(time: number): Condition {
  return both(mustExist, either(absent("lastUsedAt"), atMost("lastUsedAt", time)));
}

/** A text that the operator chose may be given to its user again and to no other user. */
function mustBeOf(uid: string): Condition {
  return mustBeFreeOr(equals("uid", uid));
}

function recordOf(uid: string, { tokenId, name, scope, projects, expiresAt }: ApiToken): TokenRecord {
  const limits = {
    ...(scope === "read" && { readOnly: true }),
    ...(projects.length > 0 && { projects }),
  };
  return {
    uid,
    kind: "api",
    tokenId,
    tokenName: name,
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function tokenItem(hash: string, record: TokenRecord) {
  const { expiresAt } = record;
  return { ...record, ...keys.token(hash), type: "token", ...(expiresAt !== undefined && { ttl: expiresAt }) };
}

/** A token that has expired stays in the list, so that its owner sees why it stopped. */
function listItem(uid: string, token: ApiToken) {
  const { tokenId, name, scope, projects, expiresAt, lastUsedAt, createdAt, hash } = token;
  const content = { tokenId, name, scope, projects, expiresAt, lastUsedAt, createdAt, hash };
  return { ...content, ...keys.apiToken(uid, tokenId), type: "api-token" };
}
