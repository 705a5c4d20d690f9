import { ApiError } from "../../../shared/errors/apiError.ts";
import { hashPassword, isUpToDate, verifyPassword } from "../../../shared/identity/session/passwords.ts";
import { startSession } from "../../../shared/identity/session/startSession.ts";
import { beginAttempt, clearAttempt, failAttempt, undoAttempt } from "../../../shared/identity/store/loginFailures.ts";
import type { SignedInFrom } from "../../../shared/identity/store/sessions.ts";
import { findUserByAccount, type User } from "../../../shared/identity/store/users.ts";

/** Too many sign-ins, of the account or at all, failed from there. */
export class SignInLocked extends ApiError {
  constructor(waitSeconds: number) {
    super(429, `too many failed sign-ins from your address; try again in ${waitSeconds} seconds`, {
      retryAfterSeconds: waitSeconds,
    });
  }
}

/**
 * Checks account and password. An unknown account and a wrong password do the same work and get the same answer.
 * @throws SignInLocked after 5 failures of the account, or 100 of all accounts, from there within an hour (decisions 3.4)
 * @throws ApiError 429 when too many are hashed at once
 */
export async function signIn(given: {
  account: string;
  password: string;
  address: string;
  userAgent: string;
}): Promise<{ user: User; token: string }> {
  const account = given.account.toLowerCase();
  const attempt = { account, address: given.address };
  const waitSeconds = await beginAttempt(attempt);
  if (waitSeconds > 0) throw new SignInLocked(waitSeconds);
  const user = await findUserByAccount("system", account);
  const right = await verifyPassword(given.password, user?.password).catch(async (error: unknown) => {
    await undoAttempt(attempt);
    throw error;
  });
  if (user?.password === undefined || !right) {
    await failAttempt(attempt);
    throw wrongPassword();
  }
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
