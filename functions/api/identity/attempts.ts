import { spendCode } from "../../../shared/access/identity/secondFactor/secondFactors.ts";
import { verifyPassword } from "../../../shared/access/identity/session/passwords.ts";
import {
  type Attempt,
  failAttempt,
  failCode,
  startAttempt,
  startCode,
  undoAttempt,
  undoCode,
} from "../../../shared/access/identity/store/loginFailures.ts";
import type { User } from "../../../shared/access/identity/store/users.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";

/** Too many sign-ins, of the account or at all, failed from there. */
export class SignInLocked extends ApiError {
  constructor(waitSeconds: number) {
    super(429, `too many failed sign-ins from your address; try again in ${waitSeconds} seconds`, {
      retryAfterSeconds: waitSeconds,
    });
  }
}

/**
 * Counts an attempt before its password is looked at.
 * @throws SignInLocked after 5 failures of the account, or 100 of all accounts, from there within an hour (decisions 3.4)
 */
export async function requireAttempt(attempt: Attempt): Promise<void> {
  const waitSeconds = await startAttempt(attempt);
  if (waitSeconds > 0) throw new SignInLocked(waitSeconds);
}

/**
 * Whether the password of an attempt that was counted is right; a wrong one has failed from here on.
 * @throws ApiError 429 when too many are hashed at once; then the attempt does not count
 */
export async function verifyAttempt(attempt: Attempt, password: string, stored: User["password"]): Promise<boolean> {
  const right = await verifyPassword(password, stored).catch(async (error: unknown) => {
    await undoAttempt(attempt);
    throw error;
  });
  if (!right) await failAttempt(attempt);
  return right;
}

/**
 * Whether the code of an attempt that was counted is right, which uses it up; a wrong one has failed from here on. Codes count
 * for the account as well, from wherever they come: a million of them are guessed from many addresses, and who gets so far
 * knows the password, so no stranger locks anybody by it.
 * @throws ApiError 429 after 10 wrong codes of the account within an hour; then the attempt does not count
 */
export async function verifyCode(attempt: Attempt, uid: string, code: string): Promise<boolean> {
  const waitSeconds = await startCode(uid);
  if (waitSeconds > 0) {
    await undoAttempt(attempt);
    throw new ApiError(429, `too many wrong codes of this account; try again in ${waitSeconds} seconds`, {
      retryAfterSeconds: waitSeconds,
    });
  }
  const right = await spendCode(uid, code);
  await (right ? undoCode(uid) : Promise.all([failCode(uid), failAttempt(attempt)]));
  return right;
}
