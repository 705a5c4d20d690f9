import { hashPassword, requireStrongPassword } from "../../../shared/access/identity/session/passwords.ts";
import { clearAttempt } from "../../../shared/access/identity/store/loginFailures.ts";
import { withoutSessions } from "../../../shared/access/identity/store/sessions.ts";
import { changeUser, type User } from "../../../shared/access/identity/store/users.ts";
import { ApiError, notFound } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { requireAttempt, verifyAttempt } from "./attempts.ts";
import { requireUser } from "./changeUsers.ts";

/**
 * Sets another password; the session that asked goes on, all others end. Wrong old passwords count as failed sign-ins.
 * While no password is set the old one is empty (decisions 3.1).
 * @throws ApiError 6000 for a weak password, 6001 for a wrong old one; SignInLocked; ApiError 429 when too many are hashed at once
 */
export async function changePassword(
  uid: string,
  given: { oldPassword: string; newPassword: string },
  from: { tokenHash: string; address: string },
): Promise<void> {
  requireStrongPassword(given.newPassword);
  const user = await requireUser(uid);
  if (user.identityType !== "system")
    throw new ApiError(
      6001,
      "this user signs in through an identity provider and has no password here; change it there",
    );
  await requireOldPassword(user, given.oldPassword, from.address);
  const password = await hashPassword(given.newPassword);
  const changed = await changeUser(uid, (before) => {
    if (before.password?.hash !== user.password?.hash)
      throw new ApiError(409, "the password was changed by somebody else at the same moment; sign in with the new one");
    const withPassword = { ...before, password, updatedAt: nowSeconds() };
    return withoutSessions(withPassword, ({ hash }) => hash !== from.tokenHash);
  });
  if (changed === undefined) throw notFound(`user ${uid}`);
}

async function requireOldPassword(user: User, oldPassword: string, address: string): Promise<void> {
  if (user.password === undefined && oldPassword === "") return;
  const attempt = { account: user.account.toLowerCase(), address };
  await requireAttempt(attempt);
  if (await verifyAttempt(attempt, oldPassword, user.password)) return clearAttempt(attempt);
  throw new ApiError(6001, "oldPassword is wrong");
}
