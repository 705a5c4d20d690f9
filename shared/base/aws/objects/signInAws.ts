import { SignatureV4 } from "@smithy/signature-v4";
import { awsRegion, config } from "../../settings/config.ts";
import type { ObjectStore } from "../adapters.ts";
import { Sha256 } from "../sha256.ts";
import { s3 } from "./s3.ts";

/** AWS takes no signature for longer. */
const longestSeconds = 7 * 24 * 3600;

export const sign: ObjectStore["sign"] = async (method, key, seconds, now) => {
  const { region } = awsRegion();
  const path = `/${key.split("/").map(encoded).join("/")}`;
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const hostname = `${config().SLIPWAY_BUCKET}.s3.${region}.${domain}`;
  const signer = new SignatureV4({
    service: "s3",
    region,
    credentials: s3().config.credentials,
    sha256: Sha256,
    uriEscapePath: false,
  });
  const signed = await signer.presign(
    {
      ...{ method, protocol: "https:", hostname, path, query: {} },
      // The content is not known yet.
      headers: { host: hostname, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" },
    },
    { expiresIn: Math.min(seconds, longestSeconds), signingDate: now },
  );
  const query = new URLSearchParams(signed.query as Record<string, string>);
  return `https://${hostname}${signed.path}?${query}`;
};

/** As AWS encodes what it signs: everything but letters, digits and `-_.~`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
