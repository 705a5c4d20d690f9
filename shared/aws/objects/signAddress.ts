import { SignatureV4 } from "@smithy/signature-v4";
import { awsClientOptions, config } from "../../settings/config.ts";
import { Sha256 } from "../sha256.ts";
import { s3 } from "./s3.ts";

/** AWS takes no signature for longer. */
const longestSeconds = 7 * 24 * 3600;

/**
 * An address under which whoever has it may write or read one object, for so many seconds; in AWS no longer than the
 * credentials of this process last.
 */
export async function signAddress(
  method: "GET" | "PUT",
  objectKey: string,
  seconds: number,
  now: Date = new Date(),
): Promise<string> {
  const { region, endpoint } = awsClientOptions();
  const bucket = config().SLIPWAY_BUCKET;
  const path = `/${objectKey.split("/").map(encoded).join("/")}`;
  const base = new URL(
    endpoint ?? `https://${bucket}.s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`,
  );
  const signer = new SignatureV4({
    service: "s3",
    region,
    credentials: s3().config.credentials,
    sha256: Sha256,
    uriEscapePath: false,
  });
  const signed = await signer.presign(
    {
      method,
      protocol: base.protocol,
      hostname: base.hostname,
      ...(base.port !== "" && { port: Number(base.port) }),
      path: endpoint === undefined ? path : `/${bucket}${path}`,
      query: {},
      // The content is not known yet.
      headers: { host: base.host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" },
    },
    { expiresIn: Math.min(seconds, longestSeconds), signingDate: now },
  );
  const query = new URLSearchParams(signed.query as Record<string, string>);
  return `${base.origin}${signed.path}?${query}`;
}

/** As AWS encodes what it signs: everything but letters, digits and `-_.~`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
