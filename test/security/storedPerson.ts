import { randomUUID } from "node:crypto";
import { hashToken, newToken } from "../../shared/access/identity/session/tokenText.ts";
import { setDefaultToken } from "../../shared/access/identity/store/tokens.ts";
import { createUser } from "../../shared/access/identity/store/users.ts";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import { remove } from "../../shared/base/store/writes.ts";
import { giveRoles, type HeldRoles } from "../harness/giveRoles.ts";

export interface Person {
  uid: string;
  name: string;
  token: string;
}

/** A user with an API token and exactly the given grants, written straight to the store. */
export async function storedPerson(name: string, ...grants: HeldRoles[]): Promise<Person> {
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
  await setDefaultToken(uid, hashToken(token));
  await giveRoles(uid, grants);
  return { uid, name, token };
}

/** Takes the user's record away and leaves the token's: what a deletion that stopped half-way leaves. */
export async function forgetUser({ uid }: Person): Promise<void> {
  await table().write(remove(keys.user(uid)));
}
