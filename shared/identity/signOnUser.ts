import { createHash, randomUUID } from "node:crypto";
import { ApiError } from "../errors/apiError.ts";
import { nowSeconds } from "../store/ids.ts";
import { ConditionFailed } from "../store/tableClient.ts";
import { followClaims } from "./followClaims.ts";
import type { ClaimedPerson } from "./rules/personFromClaims.ts";
import { startSession } from "./session/startSession.ts";
import { findGroupIdByName } from "./store/groups.ts";
import type { SignedInFrom } from "./store/sessions.ts";
import { createUser, findUidBySubject, findUser, type User } from "./store/users.ts";

/** Users of an identity provider; their accounts and those of local users are apart. */
const identityType = "oauth";
/** A claim with more groups than this is not meant; the rest is ignored. */
const maxClaimedGroups = 100;

/**
 * Signs in who an identity provider vouches for. The first time makes the user, known from then on by issuer and subject
 * whatever the account is called; every time name, addresses and memberships follow the claims.
 * @throws ApiError 6003 when the account belongs to another subject
 */
export async function signOnUser(
  from: { issuer: string; subject: string },
  person: ClaimedPerson,
  signedInFrom: SignedInFrom,
): Promise<{ user: User; token: string }> {
  const subject = createHash("sha256")
    .update(JSON.stringify([from.issuer, from.subject]))
    .digest("hex");
  const uid = (await findUidBySubject(subject)) ?? (await newUser(subject, person));
  if (person.groups !== undefined) await followClaims(uid, await knownGroups(person.groups));
  const session = await startSession(uid, signedInFrom, (user) => ({
    ...user,
    name: person.name,
    email: person.email || user.email,
    phone: person.phone || user.phone,
    updatedAt: nowSeconds(),
  }));
  if (session === undefined) throw new ApiError(6003, "the user was deleted at the same moment; sign in again");
  return session;
}

async function newUser(subject: string, { account, name, email, phone }: ClaimedPerson): Promise<string> {
  const now = nowSeconds();
  const uid = randomUUID();
  const times = { lastLoginTime: 0, createdAt: now, updatedAt: now };
  try {
    await createUser({ uid, account, name, email, phone, identityType, subject, apiTokenEnabled: true, ...times });
    return uid;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const other = await findUidBySubject(subject);
    if (other !== undefined && (await findUser(other)) !== undefined) return other;
    throw new ApiError(6003, `the account ${account} belongs to somebody else of the identity provider`);
  }
}

/** Groups that a claim names and that an administrator made; no others come into being. */
async function knownGroups(names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(names.slice(0, maxClaimedGroups).map(findGroupIdByName));
  return found.filter((groupId) => groupId !== undefined);
}
