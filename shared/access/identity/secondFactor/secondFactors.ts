import { type SealedSecret, seal, unseal } from "../../../base/aws/secrets/sealedSecret.ts";
import { mustExist, mustHaveVersion } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { retryOnConflict } from "../../../base/store/retryOnConflict.ts";
import { table } from "../../../base/store/table.ts";
import { overwrite, remove, replace, update } from "../../../base/store/writes.ts";
import { changeUser, type User, type UserChange } from "../store/users.ts";
import { stepOfCode } from "./oneTimeCode.ts";
import { hashRecoveryCode } from "./recoveryCodes.ts";

/** What a user proves at a sign-in beside the password (decisions 17.8). */
export interface SecondFactor {
  secret: SealedSecret;
  /** The newest time step of which a code was accepted: none of it or of an earlier one is again. */
  lastStep: number;
  /** Of those that are left. */
  recoveryHashes: readonly string[];
}

interface Enrolment {
  secret: SealedSecret;
  /** Unix seconds. */
  expiresAt: number;
}

const enrolmentSeconds = 15 * 60;
/** What the rights of the function that signs people in are limited to, in AWS. */
export const secondFactorField = "second factor";
const ownerOf = (uid: string) => ({ record: `user:${uid}`, field: secondFactorField });

/** What is shown of a second factor, by one read, which may be a moment late; undefined when there is no such user. */
export async function readSecondFactor(uid: string): Promise<{ enabled: boolean; left: number } | undefined> {
  const both = [keys.user(uid), keys.secondFactor(uid)];
  const items = await table().getMany<Partial<SecondFactor & User>>(both, { consistent: false });
  const user = items.find(({ sk }) => sk === keys.user(uid).sk);
  if (user === undefined || user.deleting) return undefined;
  const left = items.find((item) => item !== user)?.recoveryHashes?.length ?? 0;
  return { enabled: user.secondFactorAt !== undefined, left };
}

/** Keeps a secret for 15 minutes, until a code of it is confirmed; replaces an earlier one. @param secret in base32 */
export async function startEnrolment(uid: string, secret: string): Promise<void> {
  const expiresAt = nowSeconds() + enrolmentSeconds;
  const sealed = await seal(secret, ownerOf(uid));
  const item = { secret: sealed, expiresAt, ttl: expiresAt, type: "second-factor-enrolment" };
  await table().write(overwrite({ ...item, ...keys.secondFactorEnrolment(uid) }));
}

/**
 * Makes the secret of the open enrolment the user's second factor, in place of an earlier one. The session that asked
 * may do everything from then on.
 * @returns `none` when nothing is under way, `wrong` for a code of another secret
 */
export async function confirmEnrolment(
  uid: string,
  code: string,
  { recoveryHashes, tokenHash }: { recoveryHashes: readonly string[]; tokenHash: string },
): Promise<"confirmed" | "none" | "wrong"> {
  let outcome: "confirmed" | "none" | "wrong" = "none";
  await changeUser(uid, async (user): Promise<UserChange | undefined> => {
    const now = nowSeconds();
    const begun = await table().get<Enrolment>(keys.secondFactorEnrolment(uid));
    outcome = "none";
    if (begun === undefined || begun.expiresAt <= now) return undefined;
    const { secret } = begun;
    const lastStep = stepOfCode(await unseal(secret, ownerOf(uid)), withoutSpaces(code), now);
    outcome = "wrong";
    if (lastStep === undefined) return undefined;
    outcome = "confirmed";
    return {
      user: { ...user, secondFactorAt: now },
      writes: [
        overwrite(itemOf(uid, { secret, lastStep, recoveryHashes })),
        remove(keys.secondFactorEnrolment(uid), mustHaveVersion(begun.version)),
        update(keys.token(tokenHash), { unset: ["mustEnrol"] }, mustExist),
      ],
    };
  });
  return outcome;
}

/** Takes the second factor away; a user without one is left alone. */
export async function removeSecondFactor(uid: string): Promise<void> {
  await changeUser(uid, ({ secondFactorAt, ...user }: User) => {
    if (secondFactorAt === undefined) return undefined;
    return { user, writes: [remove(keys.secondFactor(uid)), remove(keys.secondFactorEnrolment(uid))] };
  });
}

/** Other recovery codes; those from before count no more. */
export async function setRecoveryHashes(uid: string, recoveryHashes: readonly string[]): Promise<void> {
  await table().updateOne(update(keys.secondFactor(uid), { set: { recoveryHashes } }, mustExist));
}

/**
 * Uses a code up: a recovery code is gone, and a time step counts once, however many ask at the same moment.
 * @returns whether it was right
 */
export function spendCode(uid: string, code: string): Promise<boolean> {
  return retryOnConflict(async () => {
    const factor = await table().get<SecondFactor>(keys.secondFactor(uid));
    const after = factor && (await afterUse(uid, factor, withoutSpaces(code)));
    if (factor === undefined || after === undefined) return false;
    await table().write(replace(itemOf(uid, after), factor.version));
    return true;
  });
}

/** What is left of a second factor after a right code; undefined for a wrong one. */
async function afterUse(uid: string, factor: SecondFactor, code: string): Promise<SecondFactor | undefined> {
  if (/^\d+$/.test(code)) {
    const step = stepOfCode(await unseal(factor.secret, ownerOf(uid)), code, nowSeconds());
    return step === undefined || step <= factor.lastStep ? undefined : { ...factor, lastStep: step };
  }
  const used = hashRecoveryCode(code);
  const recoveryHashes = factor.recoveryHashes.filter((hash) => hash !== used);
  return recoveryHashes.length === factor.recoveryHashes.length ? undefined : { ...factor, recoveryHashes };
}

function itemOf(uid: string, { secret, lastStep, recoveryHashes }: SecondFactor) {
  return { secret, lastStep, recoveryHashes, ...keys.secondFactor(uid), type: "second-factor" };
}

const withoutSpaces = (code: string): string => code.replace(/\s/g, "");
