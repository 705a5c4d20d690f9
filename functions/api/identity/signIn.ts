import { hashPassword, isUpToDate } from "../../../shared/access/identity/session/passwords.ts";
import { startSession } from "../../../shared/access/identity/session/startSession.ts";
import { clearAttempt, undoAttempt } from "../../../shared/access/identity/store/loginFailures.ts";
import type { SignedInFrom } from "../../../shared/access/identity/store/sessions.ts";
import { findUserByAccount, type User } from "../../../shared/access/identity/store/users.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { requireAttempt, verifyAttempt, verifyCode } from "./attempts.ts";
import { isDemandedOf } from "./secondFactor.ts";

/**
 * Checks account and password, and the code of a user who has a second factor. An unknown account and a wrong password do
 * the same work and get the same answer. Without a code the attempt does not count: the password was right.
 * @returns `mustEnrol` when the session is good for enrolling a second factor alone
 * @throws ApiError 401, with `mfa_required` where a code is needed or wrong; SignInLocked; ApiError 429
 */
export async function signIn(
  given: SignedInFrom & { account: string; password: string; code: string },
): Promise<{ user: User; token: string; mustEnrol: boolean }> {
  const account = given.account.toLowerCase();
  const attempt = { account, address: given.address };
  await requireAttempt(attempt);
  const user = await findUserByAccount("system", account);
  const right = await verifyAttempt(attempt, given.password, user?.password);
  if (user?.password === undefined || !right) throw wrongPassword();
  const hasSecondFactor = user.secondFactorAt !== undefined;
  if (hasSecondFactor && given.code === "") {
    await undoAttempt(attempt);
    throw codeNeeded("a code of your authenticator app, or a recovery code, is needed in mfa_code");
  }
  if (hasSecondFactor && !(await verifyCode(attempt, user.uid, given.code)))
    throw codeNeeded("mfa_code is wrong, was used already, or is too old");
  const mustEnrol = !hasSecondFactor && (await isDemandedOf(user));
  const session = await openSession(user, given, mustEnrol);
  await clearAttempt(attempt);
  return { ...session, mustEnrol };
}

/** A hash made with weaker parameters than today's is replaced now, when the password is known for a moment. */
async function openSession(checked: User, given: SignedInFrom & { password: string }, mustEnrol: boolean) {
  let renewed: Awaited<ReturnType<typeof hashPassword>> | undefined;
  const change = async (user: User): Promise<User> => {
    // Another password or second factor was set while these were checked.
    const isAsChecked =
      user.password?.hash === checked.password?.hash && user.secondFactorAt === checked.secondFactorAt;
    if (user.password === undefined || !isAsChecked) throw wrongPassword();
    if (isUpToDate(user.password)) return user;
    renewed ??= await hashPassword(given.password);
    return { ...user, password: renewed };
  };
  const session = await startSession(checked.uid, given, change, mustEnrol);
  if (session === undefined) throw wrongPassword();
  return session;
}

function wrongPassword(): ApiError {
  return new ApiError(401, "invalid username or password");
}

/** Clients see in `extra` that the password was right and a code is asked for. */
function codeNeeded(description: string): ApiError {
  return new ApiError(401, description, { extra: { mfa_required: true, required_action: "verify" } });
}
