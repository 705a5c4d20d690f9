import { SignatureV4 } from "@smithy/signature-v4";
import { Sha256 } from "../../../base/aws/sha256.ts";

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/**
 * A bearer token for an EKS cluster: a presigned STS GetCallerIdentity that names the cluster, which EKS sends to STS to
 * learn who we are. EKS takes it for 15 minutes after `now`.
 */
export async function eksToken(
  input: { region: string; clusterName: string; credentials: AwsCredentials },
  now: Date = new Date(),
): Promise<string> {
  const { sessionToken, ...keys } = input.credentials;
  const signer = new SignatureV4({
    service: "sts",
    region: input.region,
    credentials: sessionToken === undefined ? keys : { ...keys, sessionToken },
    sha256: Sha256,
  });
  const hostname = `sts.${input.region}.amazonaws.com${input.region.startsWith("cn-") ? ".cn" : ""}`;
  const signed = await signer.presign(
    {
      method: "GET",
      protocol: "https:",
      hostname,
      path: "/",
      query: { Action: "GetCallerIdentity", Version: "2011-06-15" },
      headers: { host: hostname, "x-k8s-aws-id": input.clusterName },
    },
    { expiresIn: 60, signingDate: now, unhoistableHeaders: new Set(["x-k8s-aws-id"]) },
  );
  const url = new URL(`https://${hostname}/`);
  for (const [name, value] of Object.entries(signed.query ?? {})) url.searchParams.set(name, String(value));
  // The signature covers the encoding of the signer, where a space would be %20; URLSearchParams writes a plus.
  return `k8s-aws-v1.${Buffer.from(url.href.replaceAll("+", "%20")).toString("base64url")}`;
}
