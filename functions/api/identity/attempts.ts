import { ApiError } from "../../../shared/errors/apiError.ts";
import { verifyPassword } from "../../../shared/identity/session/passwords.ts";
import { type Attempt, beginAttempt, failAttempt, undoAttempt } from "../../../shared/identity/store/loginFailures.ts";
import type { User } from "../../../shared/identity/store/users.ts";

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
  const waitSeconds = await beginAttempt(attempt);
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
