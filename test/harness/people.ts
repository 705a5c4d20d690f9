import type { NamespaceGrant } from "../../shared/domain/identity/grants.ts";
import { createGrant, subjectOfUser } from "../../shared/store/identity/users.ts";
import { table } from "../../shared/store/theTable.ts";
import type { Slipway } from "./slipway.ts";

export interface Person {
  uid: string;
  token: string;
}

/** A signed-in user who holds the given grants and nothing else. */
export async function newPerson(
  slipway: Slipway,
  account: string,
  grants: readonly NamespaceGrant[] = [],
): Promise<Person> {
  const password = "Passw0rd-1";
  const created = await slipway.call("POST", "/api/v1/users", { body: { name: account, account, password } });
  if (created.status !== 200) throw new Error(`user ${account}: ${created.text}`);
  const login = await slipway.call<Person>("POST", "/api/v1/login", { token: null, body: { account, password } });
  if (grants.length > 0)
    await table().write(...grants.map((grant) => createGrant(subjectOfUser(login.json.uid), grant)));
  return login.json;
}
