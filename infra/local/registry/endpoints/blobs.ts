import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { type Digest, parseDigest } from "../digest.ts";
import { contentHeaders, type Endpoint, type Exchange, isKnownToClient, send } from "../exchange.ts";
import { RegistryError } from "../registryError.ts";

/** GET and HEAD of a blob, whole or one range of it, sent from disk piece by piece. */
export const getBlob: Endpoint = async (exchange, name, reference) => {
  const digest = requireDigest(reference);
  const blob = await exchange.store.blobs.find(name, digest);
  if (!blob) throw blobUnknown(digest);
  const headers = {
    ...contentHeaders(digest.text),
    "content-type": "application/octet-stream",
    "accept-ranges": "bytes",
    "cache-control": "private, max-age=31536000, immutable",
  };
  if (isKnownToClient(exchange, digest.text)) return send(exchange, 304, headers);
  const range = askedRange(exchange, digest, blob.sizeBytes);
  if (range === "unsatisfiable") {
    throw new RegistryError("SIZE_INVALID", "the range lies outside of the blob", {
      status: 416,
      headers: { "content-range": `bytes */${blob.sizeBytes}` },
    });
  }
  await sendFile(exchange, blob, headers, range);
};

export const deleteBlob: Endpoint = async (exchange, name, reference) => {
  const digest = requireDigest(reference);
  if (!(await exchange.store.blobs.remove(name, digest))) throw blobUnknown(digest);
  send(exchange, 202, {});
};

/** The digest that a path or query must hold, else DIGEST_INVALID (400). */
export function requireDigest(text: string | null): Digest {
  const digest = parseDigest(text ?? "");
  if (digest) return digest;
  throw new RegistryError("DIGEST_INVALID", "must be sha256:<64 hex> or sha512:<128 hex>", {
    details: [{ digest: text }],
  });
}

function blobUnknown(digest: Digest): RegistryError {
  return new RegistryError("BLOB_UNKNOWN", "blob unknown to registry", { details: [{ digest: digest.text }] });
}

/** `If-Range` of another content makes the range void (RFC 9110). */
function askedRange({ request }: Exchange, digest: Digest, sizeBytes: number) {
  const condition = request.headers["if-range"];
  if (request.method !== "GET" || (condition !== undefined && condition !== `"${digest.text}"`)) return undefined;
  return parseByteRange(request.headers.range, sizeBytes);
}

async function sendFile(
  { request, response }: Exchange,
  { path, sizeBytes }: { path: string; sizeBytes: number },
  headers: Record<string, string>,
  range: ByteRange | undefined,
): Promise<void> {
  const lengthBytes = range ? range.end - range.start + 1 : sizeBytes;
  response.writeHead(range ? 206 : 200, {
    ...headers,
    "content-length": lengthBytes,
    ...(range ? { "content-range": `bytes ${range.start}-${range.end}/${sizeBytes}` } : {}),
  });
  if (request.method === "HEAD" || lengthBytes === 0) response.end();
  else await pipeline(createReadStream(path, range), response);
}

type ByteRange = { start: number; end: number };

/**
 * Reads a `Range` header of a download (RFC 9110): both ends are inclusive. What is not one range of bytes is to be
 * ignored and gives undefined; a range that lies outside of the content gives `unsatisfiable`.
 */
export function parseByteRange(header: string | undefined, sizeBytes: number): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/.exec(header?.trim() ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? "unsatisfiable" : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= sizeBytes ? "unsatisfiable" : { start, end };
}
