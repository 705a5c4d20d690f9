import { randomUUID } from "node:crypto";
import { nowSeconds } from "../../../base/store/ids.ts";
import { withoutSessions } from "../store/sessions.ts";
import { setDefaultToken } from "../store/tokens.ts";
import { changeUser, createFirstUser, findUserByAccount, isInitialized, type User } from "../store/users.ts";
import { hashPassword, requireStrongPassword, verifyPassword } from "./passwords.ts";
import { hashToken, newToken } from "./tokenText.ts";

const account = "admin";

/**
 * The administrator of an installation on one machine (decisions 3.1): made at the first start; a changed token or
 * password setting replaces the one before.
 * @returns the token that was generated, which is shown this once
 */
export async function bootstrapAdministrator(settings: {
  adminToken?: string;
  adminPassword?: string;
}): Promise<{ generatedToken?: string }> {
  if (settings.adminPassword !== undefined) requireStrongPassword(settings.adminPassword);
  const first = !(await isInitialized());
  if (first) await createFirstUser(administrator());
  const user = await findUserByAccount("system", account);
  if (user === undefined) return {};
  const token = settings.adminToken ?? (first ? newToken("api") : undefined);
  if (token !== undefined && user.apiTokenHash !== hashToken(token)) {
    await setDefaultToken(user.uid, hashToken(token));
  }
  if (settings.adminPassword !== undefined && !(await verifyPassword(settings.adminPassword, user.password))) {
    const password = await hashPassword(settings.adminPassword);
    await changeUser(user.uid, (before) =>
      withoutSessions({ ...before, password, updatedAt: nowSeconds() }, () => true),
    );
  }
  return settings.adminToken === undefined && token !== undefined ? { generatedToken: token } : {};
}

function administrator(): User {
  const now = nowSeconds();
  return {
    uid: randomUUID(),
    account,
    name: "admin",
    identityType: "system",
    email: "",
    phone: "",
    apiTokenEnabled: true,
    lastLoginTime: 0,
    createdAt: now,
    updatedAt: now,
  };
}
