import { ApiError } from "../../../shared/errors/apiError.ts";
import { hashPassword, isUpToDate } from "../../../shared/identity/session/passwords.ts";
import { startSession } from "../../../shared/identity/session/startSession.ts";
import { clearAttempt } from "../../../shared/identity/store/loginFailures.ts";
import type { SignedInFrom } from "../../../shared/identity/store/sessions.ts";
import { findUserByAccount, type User } from "../../../shared/identity/store/users.ts";
import { requireAttempt, verifyAttempt } from "./attempts.ts";

/**
 * Checks account and password. An unknown account and a wrong password do the same work and get the same answer.
 * @throws SignInLocked; ApiError 429 when too many are hashed at once
 */
export async function signIn(given: {
  account: string;
  password: string;
  address: string;
  userAgent: string;
}): Promise<{ user: User; token: string }> {
  const account = given.account.toLowerCase();
  const attempt = { account, address: given.address };
  await requireAttempt(attempt);
  const user = await findUserByAccount("system", account);
  const right = await verifyAttempt(attempt, given.password, user?.password);
  if (user?.password === undefined || !right) throw wrongPassword();
  const session = await openSession(user.uid, given, user.password.hash);
  await clearAttempt(attempt);
  return session;
}

/** A hash made with weaker parameters than today's is replaced now, when the password is known for a moment. */
async function openSession(uid: string, given: SignedInFrom & { password: string }, checkedHash: string) {
  let renewed: Awaited<ReturnType<typeof hashPassword>> | undefined;
  const session = await startSession(uid, given, async (user) => {
    // Another password was set while this one was checked.
    if (user.password?.hash !== checkedHash) throw wrongPassword();
    if (isUpToDate(user.password)) return user;
    renewed ??= await hashPassword(given.password);
    return { ...user, password: renewed };
  });
  if (session === undefined) throw wrongPassword();
  return session;
}

function wrongPassword(): ApiError {
  return new ApiError(401, "invalid username or password");
}
