import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { awsClientOptions } from "../../settings/config.ts";

/** The text of a secret in Secrets Manager, by its name or ARN; undefined when it holds bytes. */
export async function readSecret(id: string): Promise<string | undefined> {
  const answer = await new SecretsManagerClient(awsClientOptions()).send(new GetSecretValueCommand({ SecretId: id }));
  return answer.SecretString;
}
