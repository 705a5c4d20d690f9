import { AwsError } from "../awsError.ts";
import type { AwsResponse } from "../service.ts";
import type { ObjectStore } from "./objectStore.ts";
import { writeXml, type XmlElement } from "./xml.ts";

const PAGE_SIZE = 1000;

/** ListObjectsV2: prefix, delimiter, start-after, continuation. The continuation token is the last key read. */
export function listObjects(store: ObjectStore, bucket: string, query: URLSearchParams): AwsResponse {
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const token = query.get("continuation-token");
  const after = token === null ? (query.get("start-after") ?? "") : Buffer.from(token, "base64url").toString("utf8");
  const limit = Math.min(Number(query.get("max-keys") ?? PAGE_SIZE), PAGE_SIZE);
  if (!Number.isInteger(limit) || limit < 0) throw new AwsError("InvalidArgument", "max-keys is not a number");
  const encode = query.get("encoding-type") === "url" ? encodeURIComponent : (text: string) => text;
  const { entries, last, isTruncated } = collect(store, { bucket, prefix, delimiter, after, limit });
  const body = writeXml("ListBucketResult", [
    ["Name", bucket],
    ["Prefix", encode(prefix)],
    ["KeyCount", entries.length],
    ["MaxKeys", limit],
    ["EncodingType", query.get("encoding-type") ?? undefined],
    ["IsTruncated", isTruncated],
    ["ContinuationToken", token ?? undefined],
    ["NextContinuationToken", isTruncated ? Buffer.from(last).toString("base64url") : undefined],
    ...entries.map((entry): XmlElement => {
      if ("folder" in entry) return ["CommonPrefixes", [["Prefix", encode(entry.folder)]]];
      const { key, modifiedMs, etag, sizeBytes } = entry;
      return [
        "Contents",
        [
          ["Key", encode(key)],
          ["LastModified", new Date(modifiedMs).toISOString()],
          ["ETag", etag],
          ["Size", sizeBytes],
          ["StorageClass", "STANDARD"],
        ],
      ];
    }),
  ]);
  return { status: 200, headers: { "content-type": "application/xml" }, body };
}

type Listing = { bucket: string; prefix: string; delimiter: string; after: string; limit: number };
type Entry = { folder: string } | ReturnType<ObjectStore["list"]>[number];

function collect(store: ObjectStore, { bucket, prefix, delimiter, after, limit }: Listing) {
  const entries: Entry[] = [];
  let last = after;
  while (entries.length < limit) {
    const [object] = store.list(bucket, prefix, last, 1);
    if (!object) return { entries, last, isTruncated: false };
    const cut = delimiter === "" ? -1 : object.key.indexOf(delimiter, prefix.length);
    if (cut < 0) {
      entries.push(object);
      last = object.key;
    } else {
      const folder = object.key.slice(0, cut + delimiter.length);
      entries.push({ folder });
      last = `${folder}\u{10FFFF}`;
    }
  }
  return { entries, last, isTruncated: limit > 0 && store.list(bucket, prefix, last, 1).length > 0 };
}
