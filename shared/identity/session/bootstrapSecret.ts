import { readSecret } from "../../aws/secrets/readSecret.ts";
import { config } from "../../settings/config.ts";

/** The one-time secret that allows the first user: from Secrets Manager in AWS, from the setting on one machine. */
export async function bootstrapSecret(): Promise<string | undefined> {
  const { SLIPWAY_BOOTSTRAP_SECRET: text, SLIPWAY_BOOTSTRAP_SECRET_ARN: arn } = config();
  if (text !== undefined && text !== "") return text;
  return arn === undefined ? undefined : readSecret(arn);
}
