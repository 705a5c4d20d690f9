import { randomUUID } from "node:crypto";
import { hashToken, newToken } from "../../shared/auth/tokenText.ts";
import type { NamespaceGrant } from "../../shared/domain/identity/grants.ts";
import { createGrant, createUser, findUser, setToken, subjectOfUser } from "../../shared/store/identity/users.ts";
import { nowSeconds } from "../../shared/store/ids.ts";
import { keys } from "../../shared/store/keys.ts";
import { table } from "../../shared/store/theTable.ts";
import { remove } from "../../shared/store/writes.ts";

export interface Person {
  uid: string;
  name: string;
  token: string;
}

/** A user with an API token and exactly the given grants, written straight to the store. */
export async function storedPerson(name: string, ...grants: NamespaceGrant[]): Promise<Person> {
  const uid = randomUUID();
  const now = nowSeconds();
  await createUser({
    uid,
    account: uid.slice(0, 13),
    name,
    identityType: "system",
    email: "",
    phone: "",
    apiTokenEnabled: true,
    lastLoginTime: 0,
    createdAt: now,
    updatedAt: now,
  });
  const token = newToken("api");
  const user = await findUser(uid);
  if (user === undefined) throw new Error(`user ${name} was not stored`);
  await setToken(user, hashToken(token), { uid, kind: "api" });
  if (grants.length > 0) await table().write(...grants.map((grant) => createGrant(subjectOfUser(uid), grant)));
  return { uid, name, token };
}

/** Takes the user's record away and leaves the token's: what a deletion that stopped half-way leaves. */
export async function forgetUser({ uid }: Person): Promise<void> {
  await table().write(remove(keys.user(uid)));
}
