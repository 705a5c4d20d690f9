import { giveRoles, type HeldRoles } from "./giveRoles.ts";
import type { Slipway } from "./slipway.ts";

export interface Person {
  uid: string;
  token: string;
}

/** A signed-in user who holds the given grants and nothing else. */
export async function newPerson(slipway: Slipway, account: string, grants: readonly HeldRoles[] = []): Promise<Person> {
  const password = "Passw0rd-1";
  const created = await slipway.call("POST", "/api/v1/users", { body: { name: account, account, password } });
  if (created.status !== 200) throw new Error(`user ${account}: ${created.text}`);
  const login = await slipway.call<Person>("POST", "/api/v1/login", { token: null, body: { account, password } });
  await giveRoles(login.json.uid, grants);
  return login.json;
}
