import { nowSeconds } from "../../store/ids.ts";
import { readSecuritySettings } from "../store/securitySettings.ts";
import { loginTokenWrites } from "../store/tokens.ts";
import { changeUser, type User } from "../store/users.ts";
import { hashToken, newToken } from "./tokenText.ts";

/**
 * Signs a user in: the token of the session before stops working (contract I 3.2), and the new one lives as long as the
 * security settings say. `change` may change the user in the same moment, or refuse by throwing.
 * @returns undefined when the user is gone
 */
export async function startSession(
  uid: string,
  change: (user: User) => Promise<User> | User = (user) => user,
): Promise<{ user: User; token: string } | undefined> {
  const { tokenExpirationHours } = await readSecuritySettings();
  const token = newToken("login");
  const hash = hashToken(token);
  const now = nowSeconds();
  const user = await changeUser(uid, async (before) => ({
    user: { ...(await change(before)), loginTokenHash: hash, lastLoginTime: now },
    writes: loginTokenWrites(uid, hash, now + tokenExpirationHours * 3600, before.loginTokenHash),
  }));
  return user && { user, token };
}
