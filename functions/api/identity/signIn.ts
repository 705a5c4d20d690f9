import { verifyPassword } from "../../../shared/auth/passwords.ts";
import { hashToken, newToken } from "../../../shared/auth/tokenText.ts";
import { ApiError } from "../../../shared/domain/errors/apiError.ts";
import { beginAttempt, clearAttempt, failAttempt } from "../../../shared/store/identity/loginFailures.ts";
import {
  findUser,
  findUserByAccount,
  removeLoginToken,
  setToken,
  type User,
} from "../../../shared/store/identity/users.ts";
import { nowSeconds } from "../../../shared/store/ids.ts";

const loginSeconds = 24 * 3600;

/** Seconds that a locked account or address must wait. */
export class SignInLocked extends ApiError {
  readonly waitSeconds: number;

  constructor(waitSeconds: number) {
    super(429, `too many failed sign-ins; try again in ${waitSeconds} seconds`);
    this.waitSeconds = waitSeconds;
  }
}

/**
 * Checks account and password. An unknown account and a wrong password do the same work and get the same answer.
 * @throws SignInLocked after 5 failures an account or 100 an address within an hour (decisions 3.4)
 */
export async function signIn(given: {
  account: string;
  password: string;
  address: string;
}): Promise<{ user: User; token: string }> {
  const account = given.account.toLowerCase();
  const waits = await Promise.all([beginAttempt("account", account), beginAttempt("address", given.address)]);
  const waitSeconds = Math.max(...waits);
  if (waitSeconds > 0) throw new SignInLocked(waitSeconds);
  const user = await findUserByAccount("system", account);
  const right = await verifyPassword(given.password, user?.password);
  if (user === undefined || !right) {
    await Promise.all([failAttempt("account", account), failAttempt("address", given.address)]);
    throw new ApiError(401, "invalid username or password");
  }
  const token = newToken("login");
  await setToken(user, hashToken(token), { uid: user.uid, kind: "login", expiresAt: nowSeconds() + loginSeconds });
  await Promise.all([clearAttempt("account", account), clearAttempt("address", given.address)]);
  return { user, token };
}

/** Ends the login session of a user; an API token that was used to call stays. */
export async function signOut(uid: string): Promise<void> {
  const user = await findUser(uid);
  if (user !== undefined) await removeLoginToken(user);
}
