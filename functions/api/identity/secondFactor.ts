import { enrolmentUri, newOneTimeSecret } from "../../../shared/access/identity/secondFactor/oneTimeCode.ts";
import { hashRecoveryCode, newRecoveryCodes } from "../../../shared/access/identity/secondFactor/recoveryCodes.ts";
import {
  confirmEnrolment,
  readSecondFactor,
  removeSecondFactor,
  setRecoveryHashes,
  startEnrolment,
} from "../../../shared/access/identity/secondFactor/secondFactors.ts";
import { clearAttempt, failAttempt, undoAttempt } from "../../../shared/access/identity/store/loginFailures.ts";
import { readSecuritySettings } from "../../../shared/access/identity/store/securitySettings.ts";
import type { User } from "../../../shared/access/identity/store/users.ts";
import { ApiError, badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { requireAttempt, verifyAttempt, verifyCode } from "./attempts.ts";
import { requireUser } from "./changeUsers.ts";
import { describeUser } from "./userInfo.ts";

/** What a signed-in user gives again before the second factor changes; a text that was not given is empty. */
interface Proof {
  password: string;
  code: string;
}

/** Whether the settings demand a second factor of a user: of one who signs in with a password here (decisions 17.8). */
export async function isDemandedOf({ uid, identityType }: User): Promise<boolean> {
  const { mfaRequiredFor } = await readSecuritySettings();
  if (identityType !== "system" || mfaRequiredFor === "nobody") return false;
  return mfaRequiredFor === "everybody" || (await describeUser(uid)).isSystemAdmin;
}

/** Whether there is one, and how many recovery codes are left. @throws ApiError 404 */
export async function viewSecondFactor(uid: string): Promise<{ enabled: boolean; left: number }> {
  const view = await readSecondFactor(uid);
  if (view === undefined) throw notFound(`user ${uid}`);
  return view;
}

/**
 * Begins to enrol an authenticator app, by the password; where there is one already, by a code of it, which goes on until the
 * new one is confirmed.
 * @throws ApiError 400 naming what has to be given, 6001 where it is wrong; SignInLocked
 */
export async function startSecondFactor(
  uid: string,
  proof: Proof,
  address: string,
): Promise<{ secret: string; uri: string }> {
  const user = await requireUser(uid);
  requirePasswordHere(user);
  if (user.secondFactorAt === undefined) await requireProof(user, { ...proof, code: "" }, address, "password");
  else await requireProof(user, { ...proof, password: "" }, address, "mfa_code");
  const secret = newOneTimeSecret();
  await startEnrolment(uid, secret);
  return { secret, uri: enrolmentUri(secret, user.account) };
}

/**
 * Ends an enrolment with a code of the new app: from now on signing in asks for codes.
 * @returns recovery codes, which are shown this once
 * @throws ApiError 6001 for a wrong code, or when no enrolment was started within 15 minutes; SignInLocked
 */
export async function confirmSecondFactor(
  uid: string,
  code: string,
  { address, tokenHash }: { address: string; tokenHash: string },
): Promise<string[]> {
  const user = await requireUser(uid);
  const attempt = { account: user.account.toLowerCase(), address };
  await requireAttempt(attempt);
  const codes = newRecoveryCodes();
  const recoveryHashes = codes.map(hashRecoveryCode);
  const outcome = await confirmEnrolment(uid, code, { recoveryHashes, tokenHash });
  if (outcome === "confirmed") await clearAttempt(attempt);
  else if (outcome === "wrong") await failAttempt(attempt);
  else await undoAttempt(attempt);
  if (outcome === "wrong") throw wrongCode();
  if (outcome === "none")
    throw new ApiError(6001, "no enrolment was begun within 15 minutes; begin one with POST /openapi/users/:uid/mfa");
  return codes;
}

/** Ten other recovery codes, shown this once; those from before count no more. @throws as `requireProof` */
export async function renewRecoveryCodes(uid: string, proof: Proof, address: string): Promise<string[]> {
  const user = await requireUser(uid);
  if (user.secondFactorAt === undefined)
    throw new ApiError(6001, "there is no second factor, so there are no recovery codes; enrol one first");
  await requireProof(user, proof, address);
  const codes = newRecoveryCodes();
  await setRecoveryHashes(uid, codes.map(hashRecoveryCode));
  return codes;
}

/** @throws ApiError 403 where the settings demand one; else as `requireProof` */
export async function disableSecondFactor(uid: string, proof: Proof, address: string): Promise<void> {
  const user = await requireUser(uid);
  if (await isDemandedOf(user))
    throw new ApiError(403, "this system demands a second factor of you; enrol another app in place of this one");
  if (user.secondFactorAt === undefined) return;
  await requireProof(user, proof, address);
  await removeSecondFactor(uid);
}

/** For lost devices and recovery codes: the next sign-in asks for the password alone. @throws ApiError 404, 6001 */
export async function resetSecondFactor(uid: string, callerUid: string): Promise<void> {
  if (uid === callerUid)
    throw new ApiError(6001, "your own second factor is switched off with POST /openapi/users/:uid/mfa/disable");
  await requireUser(uid);
  await removeSecondFactor(uid);
}

function requirePasswordHere({ identityType, password }: User): void {
  if (identityType !== "system")
    throw new ApiError(6001, "this user signs in through an identity provider, which asks for second factors itself");
  if (password === undefined)
    throw new ApiError(6001, "this user has no password, so a second factor would be the only one; set one first");
}

/**
 * A code where one is given, else the password; wrong ones count as failed sign-ins.
 * @param needed the only field that will do; absent: either
 * @throws ApiError 400 where neither is given, 6001 where it is wrong; SignInLocked; ApiError 429
 */
async function requireProof(
  user: User,
  { password, code }: Proof,
  address: string,
  needed?: "password" | "mfa_code",
): Promise<void> {
  if (password === "" && code === "")
    throw badRequest([
      { in: "body", path: needed ?? "mfa_code", problem: needed ? "is needed" : "is needed, or else password" },
    ]);
  const attempt = { account: user.account.toLowerCase(), address };
  await requireAttempt(attempt);
  if (code !== "") {
    if (!(await verifyCode(attempt, user.uid, code))) throw wrongCode();
  } else if (!(await verifyAttempt(attempt, password, user.password))) throw new ApiError(6001, "password is wrong");
  await clearAttempt(attempt);
}

function wrongCode(): ApiError {
  return new ApiError(6001, "mfa_code is wrong, was used already, or is too old");
}
