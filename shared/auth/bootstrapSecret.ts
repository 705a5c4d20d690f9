import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { awsClientOptions, config } from "../config.ts";

/** The one-time secret that allows the first user: from Secrets Manager in AWS, from the setting on one machine. */
export async function bootstrapSecret(): Promise<string | undefined> {
  const { SLIPWAY_BOOTSTRAP_SECRET: text, SLIPWAY_BOOTSTRAP_SECRET_ARN: arn } = config();
  if (text !== undefined && text !== "") return text;
  if (arn === undefined) return undefined;
  const answer = await new SecretsManagerClient(awsClientOptions()).send(new GetSecretValueCommand({ SecretId: arn }));
  return answer.SecretString;
}
