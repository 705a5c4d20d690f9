import { randomUUID } from "node:crypto";
import { hashPassword } from "../../shared/access/identity/session/passwords.ts";
import { startSession } from "../../shared/access/identity/session/startSession.ts";
import { createUser } from "../../shared/access/identity/store/users.ts";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import { giveRoles, type HeldRoles } from "./giveRoles.ts";

export interface Person {
  uid: string;
  token: string;
}

/** Everybody's, hashed once a process: hashing is slow on purpose. */
const password = "Passw0rd-1";
let hash: ReturnType<typeof hashPassword> | undefined;

/** A signed-in user of the Slipway of this process who holds the given grants and nothing else, written straight to the store. */
export async function newPerson(account: string, grants: readonly HeldRoles[] = []): Promise<Person> {
  const uid = randomUUID();
  const now = nowSeconds();
  hash ??= hashPassword(password);
  await createUser({
    ...{ uid, account, name: account, identityType: "system", email: "", phone: "" },
    ...{ password: await hash, apiTokenEnabled: true, lastLoginTime: 0, createdAt: now, updatedAt: now },
  });
  await giveRoles(uid, grants);
  const session = await startSession(uid, { address: "192.0.2.1", userAgent: "test" });
  if (session === undefined) throw new Error(`user ${account} is gone`);
  return { uid, token: session.token };
}
