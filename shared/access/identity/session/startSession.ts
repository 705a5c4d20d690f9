import { nowSeconds } from "../../../base/store/ids.ts";
import { readSecuritySettings } from "../store/securitySettings.ts";
import { type SignedInFrom, withNewSession } from "../store/sessions.ts";
import { changeUser, type User } from "../store/users.ts";
import { hashToken, newToken } from "./tokenText.ts";

/**
 * Signs a user in: a session of its own beside those that go on (decisions 17.8), which lives as long as the security
 * settings say. `change` may change the user in the same moment, or refuse by throwing; with `mustEnrol` the session is good
 * for enrolling a second factor alone.
 * @returns undefined when the user is gone
 */
export async function startSession(
  uid: string,
  from: SignedInFrom,
  change: (user: User) => Promise<User> | User = (user) => user,
  mustEnrol = false,
): Promise<{ user: User; token: string } | undefined> {
  const { tokenExpirationHours } = await readSecuritySettings();
  const token = newToken("login");
  const hash = hashToken(token);
  const expiresAt = nowSeconds() + tokenExpirationHours * 3600;
  const user = await changeUser(uid, async (before) =>
    withNewSession(await change(before), hash, { ...from, expiresAt, mustEnrol }),
  );
  return user && { user, token };
}
