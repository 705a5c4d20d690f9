import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

const HEX_LENGTH = { sha256: 64, sha512: 128 };

export type DigestAlgorithm = keyof typeof HEX_LENGTH;

/** The name of content: `text` is `<algorithm>:<hex>`. */
export type Digest = { algorithm: DigestAlgorithm; hex: string; text: string };

/** Reads `sha256:…` or `sha512:…` with lowercase hex of the right length; anything else is undefined. */
export function parseDigest(text: string): Digest | undefined {
  const match = /^(sha256|sha512):([0-9a-f]+)$/.exec(text);
  const algorithm = match?.[1] === "sha512" ? "sha512" : "sha256";
  const hex = match?.[2];
  return hex?.length === HEX_LENGTH[algorithm] ? { algorithm, hex, text } : undefined;
}

export function digestOfBytes(bytes: Uint8Array, algorithm: DigestAlgorithm): Digest {
  const hex = createHash(algorithm).update(bytes).digest("hex");
  return { algorithm, hex, text: `${algorithm}:${hex}` };
}

/** Reads the file in pieces, so that its size does not matter. Fails with the file system's error. */
export async function digestOfFile(path: string, algorithm: DigestAlgorithm): Promise<Digest> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(path, { highWaterMark: 1024 ** 2 }), hash);
  const hex = hash.digest("hex");
  return { algorithm, hex, text: `${algorithm}:${hex}` };
}
