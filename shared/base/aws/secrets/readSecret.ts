/**
 * The text of a secret in Secrets Manager, by its name or ARN; undefined when it holds bytes. On one machine too it is AWS
 * that is asked, because only an operator's own setting can name a secret there.
 */
export async function readSecret(id: string): Promise<string | undefined> {
  return (await import("./readSecretInAws.ts")).readSecret(id);
}
