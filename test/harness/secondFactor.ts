import { Secret, TOTP } from "otpauth";
import { mustExist } from "../../shared/base/store/conditions.ts";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import { update } from "../../shared/base/store/writes.ts";
import type { Slipway } from "./slipway.ts";

/** What an app shows now, or so many steps of 30 seconds later. @param secret in base32 */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
}

/** Lets codes of this moment count again, as if the user had waited for the next ones. */
export async function forgetCodes(uid: string): Promise<void> {
  await table().write(update(keys.secondFactor(uid), { set: { lastStep: 0 } }, mustExist));
}

/** Enrols a user with the password of `newPerson`; codes of this moment count afterwards. */
export async function enrol(
  slipway: Pick<Slipway, "call">,
  { uid, token }: { uid: string; token: string },
  password = "Passw0rd-1",
): Promise<{ secret: string; codes: string[] }> {
  const path = `/openapi/users/${uid}/mfa`;
  const begun = await slipway.call<{ secret: string }>("POST", path, { token, body: { password } });
  const { secret } = begun.json;
  const body = { mfa_code: codeOf(secret) };
  const done = await slipway.call<{ recovery_codes: string[] }>("POST", `${path}/confirm`, { token, body });
  if (done.status !== 200) throw new Error(`the enrolment answered ${done.status}: ${done.text}`);
  await forgetCodes(uid);
  return { secret, codes: done.json.recovery_codes };
}
