import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/** The hash that the signer asks for, from Node itself. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytes(secret));
  }

  update(chunk: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytes(chunk));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error("a hash is used once");
  }
}

function bytes(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === "string") return Buffer.from(data, "utf8");
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data);
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
