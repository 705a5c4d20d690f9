import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { awsRegion } from "../../settings/config.ts";

export async function readSecret(SecretId: string): Promise<string | undefined> {
  const answer = await new SecretsManagerClient(awsRegion()).send(new GetSecretValueCommand({ SecretId }));
  return answer.SecretString;
}
