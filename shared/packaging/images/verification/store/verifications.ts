import { keys } from "../../../../base/store/keys/keys.ts";
import { table } from "../../../../base/store/table.ts";
import { overwrite, type Write } from "../../../../base/store/writes.ts";
import { noVerification, type Verification } from "../rules/verification.ts";

/**
 * What a project demands of its images; nothing until a user sets it. Costs one read unit.
 * @param options not `consistent`: what is shown may be a moment old, for half of that
 */
export async function findVerification(
  projectKey: string,
  options: { consistent?: boolean } = {},
): Promise<Verification> {
  const stored = await table().get<Verification>(keys.projectVerification(projectKey), options);
  if (stored === undefined) return noVerification;
  const { enabled, publicKey, certificateIdentity, certificateOidcIssuer, trustedRoot } = stored;
  return { enabled, publicKey, certificateIdentity, certificateOidcIssuer, trustedRoot };
}

/** Who writes last wins. @param mustHold conditions of the same write */
export async function saveVerification(
  projectKey: string,
  verification: Verification,
  ...mustHold: readonly Write[]
): Promise<void> {
  const item = { ...keys.projectVerification(projectKey), type: "project-verification", ...verification };
  await table().write(overwrite(item), ...mustHold);
}
