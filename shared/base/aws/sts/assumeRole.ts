export interface RoleAccess {
  region: string;
  roleArn: string;
  /** Proves to the role's owner that the call is made for them; empty where the role asks for none. */
  externalId: string;
  /** Whose keys take on the role; the function's own role without them. */
  keys?: { accessKeyId: string; secretAccessKey: string } | undefined;
}

export interface RoleCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  expiration: Date;
}

/** Takes on a role for an hour. @throws what AWS answers when it refuses */
export async function assumeRole({ region, roleArn, externalId, keys }: RoleAccess): Promise<RoleCredentials> {
  const { AssumeRoleCommand, STSClient } = await import("./stsSdk.ts");
  const sts = new STSClient({ region, ...(keys && { credentials: keys }) });
  const { Credentials: found } = await sts.send(
    new AssumeRoleCommand({
      RoleArn: roleArn,
      ...(externalId !== "" && { ExternalId: externalId }),
      RoleSessionName: "slipway",
      DurationSeconds: 3600,
    }),
  );
  if (!found?.AccessKeyId || !found.SecretAccessKey || !found.SessionToken || !found.Expiration)
    throw new Error(`role ${roleArn}: the answer of AWS has no credentials`);
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken } = found;
  return { accessKeyId, secretAccessKey, sessionToken, expiration: found.Expiration };
}
