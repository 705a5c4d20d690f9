import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { overwrite } from "../../../base/store/writes.ts";

/** Settings of the installation about signing in (contract I 11). */
export interface SecuritySettings {
  /** Hours that a sign-in's token lives. */
  tokenExpirationHours: number;
  /** Kept for consoles that ask; nothing is reported to anybody. */
  improvementPlan: boolean;
  /** Whose sign-in with a password demands a second factor (decisions 17.8). */
  mfaRequiredFor: (typeof mfaDemands)[number];
}

export const mfaDemands = ["nobody", "administrators", "everybody"] as const;

const atFirst: SecuritySettings = { tokenExpirationHours: 24, improvementPlan: false, mfaRequiredFor: "nobody" };

export async function readSecuritySettings(): Promise<SecuritySettings> {
  const stored = await table().get<SecuritySettings>(keys.securitySettings());
  if (stored === undefined) return atFirst;
  const { tokenExpirationHours, improvementPlan, mfaRequiredFor = atFirst.mfaRequiredFor } = stored;
  return { tokenExpirationHours, improvementPlan, mfaRequiredFor };
}

/** The last who sets them decides. */
export async function setSecuritySettings(settings: SecuritySettings): Promise<void> {
  await table().write(overwrite({ ...settings, ...keys.securitySettings(), type: "security-settings" }));
}
