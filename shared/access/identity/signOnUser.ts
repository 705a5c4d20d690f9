import { createHash, randomUUID } from "node:crypto";
import { ApiError } from "../../base/errors/apiError.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import { addMembers, removeMembers } from "./changeMembers.ts";
import type { ClaimedPerson } from "./rules/personFromClaims.ts";
import { startSession } from "./session/startSession.ts";
import { findGroupIdByName } from "./store/groups.ts";
import type { SignedInFrom } from "./store/sessions.ts";
import { changeUser, createUser, findUidBySubject, findUser, type User } from "./store/users.ts";

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

/**
 * Lets a user's memberships follow what the identity provider says: into groups that it names now, out of those that only
 * it had put the user into. Whom an administrator put into a group stays there.
 */
async function followClaims(uid: string, groupIds: readonly string[]): Promise<void> {
  const user = await findUser(uid);
  if (user === undefined) return;
  const before = user.claimedGroups ?? [];
  const leaving = before.filter((groupId) => !groupIds.includes(groupId) && user.groups?.has(groupId));
  const joining = groupIds.filter((groupId) => !user.groups?.has(groupId));
  const claimed = [...before.filter((groupId) => groupIds.includes(groupId)), ...joining];
  for (const groupId of leaving) await unlessGone(removeMembers(groupId, [uid]));
  // Noted before it is done: what a crash leaves half done is still known to come from the provider.
  await changeUser(uid, (stored) => ({ user: { ...stored, claimedGroups: [...new Set(claimed)] } }));
  for (const groupId of joining) await unlessGone(addMembers(groupId, [uid]));
}

/** A group that an administrator deletes at the same moment is no reason to refuse a sign-in. */
async function unlessGone(change: Promise<void>): Promise<void> {
  await change.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
  });
}
