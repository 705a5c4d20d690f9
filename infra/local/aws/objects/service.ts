import { Readable } from "node:stream";
import { AwsError } from "../awsError.ts";
import { type AwsRequest, type AwsResponse, type AwsService, readBody } from "../service.ts";
import { decodeAwsChunked } from "./awsChunked.ts";
import { listObjects } from "./listObjects.ts";
import type { ObjectStore, StoredObject } from "./objectStore.ts";
import { readXmlTexts, writeXml, type XmlElement } from "./xml.ts";

const KEPT_HEADERS = /^(content-type|content-language|content-disposition|cache-control|expires|x-amz-meta-.+)$/;
const DELETE_LIMIT_BYTES = 8 * 1024 * 1024;
const KEY_LIMIT_BYTES = 1024;

/** S3 in path style (client-s3): put, get, head, delete objects and list them. Every bucket is there and empty. */
export function objectService(store: ObjectStore): AwsService {
  return {
    async handle(request) {
      const { bucket, key } = locate(request.path);
      const { method, query } = request;
      if (key !== "") return handleObject(store, request, bucket, key);
      if (method === "GET" && query.get("list-type") === "2") return listObjects(store, bucket, query);
      if (method === "POST" && query.has("delete")) return deleteObjects(store, bucket, request);
      if (method === "HEAD") return { status: 200 };
      throw notImplemented();
    },
    renderError: (error) => ({
      status: error.status,
      headers: { "content-type": "application/xml" },
      body: writeXml("Error", [
        ["Code", error.name],
        ["Message", error.message],
      ]).replace(/ xmlns="[^"]*"/, ""),
    }),
  };
}

/** Keys are taken from the path as sent: `..` and empty segments are part of the key. */
function locate(path: string): { bucket: string; key: string } {
  const slash = path.indexOf("/", 1);
  const bucket = decode(path.slice(1, slash < 0 ? undefined : slash));
  const key = slash < 0 ? "" : decode(path.slice(slash + 1));
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new AwsError("InvalidBucketName", "The specified bucket is not valid.");
  }
  if (Buffer.byteLength(key) > KEY_LIMIT_BYTES) throw new AwsError("KeyTooLongError", "Your key is too long");
  return { bucket, key };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AwsError("InvalidURI", "Couldn't parse the specified URI.");
  }
}

async function handleObject(
  store: ObjectStore,
  request: AwsRequest,
  bucket: string,
  key: string,
): Promise<AwsResponse> {
  const { method, query, headers } = request;
  const unknown = ["uploads", "uploadId", "tagging", "acl", "versionId", "attributes"].some((name) => query.has(name));
  if (unknown || headers["x-amz-copy-source"]) throw notImplemented();
  if (method === "PUT") return putObject(store, request, bucket, key);
  if (method === "GET" || method === "HEAD") return getObject(store, request, bucket, key);
  if (method !== "DELETE") throw notImplemented();
  store.remove(bucket, key);
  return { status: 204 };
}

async function putObject(store: ObjectStore, request: AwsRequest, bucket: string, key: string): Promise<AwsResponse> {
  const { headers } = request;
  const condition = headers["if-none-match"];
  if ((condition !== undefined && condition !== "*") || headers["if-match"]) throw notImplemented();
  const encodings = String(headers["content-encoding"] ?? "").split(/\s*,\s*/);
  const isChunked = encodings.includes("aws-chunked");
  const trailers = new Map<string, string>();
  const body = isChunked ? Readable.from(decodeAwsChunked(request.body, trailers)) : request.body;
  const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name));
  const encoding = encodings.filter((name) => name !== "" && name !== "aws-chunked").join(",");
  if (encoding !== "") kept.push(["content-encoding", encoding]);
  const object = await store.put(bucket, key, body, {
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    ifNoneMatch: condition === "*",
    expectedCrc32: () => trailers.get("x-amz-checksum-crc32") ?? headers["x-amz-checksum-crc32"]?.toString(),
  });
  return { status: 200, headers: { etag: object.etag, "x-amz-checksum-crc32": object.crc32 } };
}

async function getObject(store: ObjectStore, request: AwsRequest, bucket: string, key: string): Promise<AwsResponse> {
  const object = store.head(bucket, key);
  if (!object) throw new AwsError("NoSuchKey", "The specified key does not exist.", 404);
  if (request.headers["if-none-match"] === object.etag) return { status: 304, headers: { etag: object.etag } };
  const range = parseRange(request.headers.range, object.sizeBytes);
  const { first, last } = range ?? { first: 0, last: object.sizeBytes - 1 };
  const length = last - first + 1;
  const headers = { ...objectHeaders(object, request), "content-length": String(length) };
  const partial = range ? { "content-range": `bytes ${first}-${last}/${object.sizeBytes}` } : {};
  const status = range ? 206 : 200;
  if (request.method === "HEAD" || length === 0) return { status, headers: { ...headers, ...partial } };
  return { status, headers: { ...headers, ...partial }, body: await store.read(bucket, key, first, last) };
}

function objectHeaders(object: StoredObject, request: AwsRequest): Record<string, string> {
  const whole = request.headers.range === undefined && request.headers["x-amz-checksum-mode"] === "ENABLED";
  return {
    "content-type": "binary/octet-stream",
    ...object.headers,
    etag: object.etag,
    "last-modified": new Date(object.modifiedMs).toUTCString(),
    "accept-ranges": "bytes",
    ...(whole ? { "x-amz-checksum-crc32": object.crc32, "x-amz-checksum-type": "FULL_OBJECT" } : {}),
  };
}

/** One range of bytes; anything else in the header means the whole object. @throws AwsError InvalidRange (416) */
function parseRange(header: string | undefined, sizeBytes: number): { first: number; last: number } | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const first = match[1] === "" ? Math.max(sizeBytes - Number(match[2]), 0) : Number(match[1]);
  const last = match[1] === "" || match[2] === "" ? sizeBytes - 1 : Math.min(Number(match[2]), sizeBytes - 1);
  if (first > last) throw new AwsError("InvalidRange", "The requested range is not satisfiable", 416);
  return { first, last };
}

async function deleteObjects(store: ObjectStore, bucket: string, request: AwsRequest): Promise<AwsResponse> {
  const document = (await readBody(request, DELETE_LIMIT_BYTES)).toString("utf8");
  const keys = readXmlTexts(document, "Key");
  if (keys.length === 0 || keys.length > 1000) throw new AwsError("MalformedXML", "1 to 1000 keys are expected");
  for (const key of keys) store.remove(bucket, key);
  const isQuiet = readXmlTexts(document, "Quiet")[0] === "true";
  const deleted = keys.map((key): XmlElement => ["Deleted", [["Key", key]]]);
  const body = writeXml("DeleteResult", isQuiet ? [] : deleted);
  return { status: 200, headers: { "content-type": "application/xml" }, body };
}

function notImplemented(): AwsError {
  return new AwsError("NotImplemented", "The stand-in does not do this", 501);
}
