import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
} from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import { startTestAws, type TestAws, temporaryFolder } from "./harness.ts";

const Bucket = "slipway-objects";

const put = (
  aws: TestAws,
  Key: string,
  Body: NonNullable<PutObjectCommandInput["Body"]>,
  rest: Partial<PutObjectCommandInput> = {},
) => aws.objects.send(new PutObjectCommand({ Bucket, Key, Body, ...rest }));
const get = async (aws: TestAws, Key: string, Range?: string) => {
  const answer = await aws.objects.send(new GetObjectCommand({ Bucket, Key, ...(Range ? { Range } : {}) }));
  return { ...answer, bytes: Buffer.from(await answer.Body!.transformToByteArray()) };
};
const blobs = (aws: TestAws) => readdirSync(path.join(aws.dataDir, "objects"));

describe("objects", () => {
  it("come back byte for byte with type, encoding and user metadata", async () => {
    const aws = await startTestAws();
    const body = gzipSync("apiVersion: v1");
    await put(aws, "a.yaml.gz", body, {
      ContentType: "application/yaml",
      ContentEncoding: "gzip",
      Metadata: { digest: "abc" },
    });
    const answer = await get(aws, "a.yaml.gz");
    expect(answer.bytes).toEqual(body);
    expect(answer).toMatchObject({
      ContentType: "application/yaml",
      ContentEncoding: "gzip",
      Metadata: { digest: "abc" },
      ContentLength: body.length,
    });
    const head = await aws.objects.send(new HeadObjectCommand({ Bucket, Key: "a.yaml.gz" }));
    expect(head).toMatchObject({ ContentLength: body.length, ETag: answer.ETag, ContentEncoding: "gzip" });
  });

  it("take a streamed body with a checksum in the trailer", async () => {
    const aws = await startTestAws();
    const parts = Array.from({ length: 40 }, (_, index) => Buffer.alloc(10_007, index));
    const whole = Buffer.concat(parts);
    await put(aws, "stream", Readable.from(parts), { ContentLength: whole.length, ContentEncoding: "gzip" });
    const answer = await get(aws, "stream");
    expect(answer.bytes.equals(whole)).toBe(true);
    expect(answer.ContentEncoding).toBe("gzip");
  });

  it("are refused when the bytes do not fit the checksum, and then nothing is kept", async () => {
    const aws = await startTestAws();
    const bad = put(aws, "bad", "hello", { ChecksumCRC32: "AAAAAA==" });
    await expect(bad).rejects.toMatchObject({ name: "BadDigest" });
    await expect(get(aws, "bad")).rejects.toMatchObject({ name: "NoSuchKey" });
    expect(blobs(aws)).toEqual([]);
  });

  it("may be empty", async () => {
    const aws = await startTestAws();
    await put(aws, "empty", "", { ContentLength: 0 });
    expect((await get(aws, "empty")).bytes).toHaveLength(0);
  });

  it.each([
    "../../etc/passwd",
    "a/../b",
    "a//b",
    "./x",
    "ü/€ %2F+&=?#<>\"'",
    "a\\b",
    "con",
    "line\nbreak",
    "constructor",
  ])("have any key: %j is a key and never a path", async (key) => {
    const aws = await startTestAws();
    await put(aws, key, key);
    await put(aws, "other", "other");
    expect((await get(aws, key)).bytes.toString()).toBe(key);
    const list = await aws.objects.send(new ListObjectsV2Command({ Bucket, Prefix: key }));
    expect(list.Contents?.map((item) => item.Key)).toEqual([key]);
    expect(
      readdirSync(aws.dataDir)
        .toSorted()
        .filter((name) => !name.startsWith("aws.sqlite")),
    ).toEqual(["kms.key", "objects"]);
    await aws.objects.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: key }] } }));
    await expect(get(aws, key)).rejects.toMatchObject({ name: "NoSuchKey" });
    expect(blobs(aws)).toHaveLength(1);
  });

  it("are read in ranges", async () => {
    const aws = await startTestAws();
    await put(aws, "range", "0123456789");
    for (const [range, text, shown] of [
      ["bytes=0-3", "0123", "bytes 0-3/10"],
      ["bytes=7-", "789", "bytes 7-9/10"],
      ["bytes=-2", "89", "bytes 8-9/10"],
      ["bytes=8-99", "89", "bytes 8-9/10"],
    ] as const) {
      const answer = await get(aws, "range", range);
      expect([answer.bytes.toString(), answer.ContentRange]).toEqual([text, shown]);
    }
    await expect(get(aws, "range", "bytes=10-")).rejects.toMatchObject({ name: "InvalidRange" });
  });

  it("are made only once under If-None-Match, also by 20 at once", async () => {
    const aws = await startTestAws();
    const writes = Array.from({ length: 20 }, (_, index) => put(aws, "once", String(index), { IfNoneMatch: "*" }));
    const answers = await Promise.allSettled(writes);
    const winner = answers.findIndex((answer) => answer.status === "fulfilled");
    const refused = answers.filter((answer) => answer.status === "rejected");
    expect(refused).toHaveLength(19);
    for (const answer of refused) expect(answer.reason).toMatchObject({ name: "PreconditionFailed" });
    expect((await get(aws, "once")).bytes.toString()).toBe(String(winner));
    expect(blobs(aws)).toHaveLength(1);
  });

  it("replace each other whole: a reader sees one or the other", async () => {
    const aws = await startTestAws();
    const bodies = ["a", "b"].map((letter) => letter.repeat(200_000));
    await put(aws, "swap", bodies[0]!);
    const writes = Array.from({ length: 10 }, (_, index) => put(aws, "swap", bodies[index % 2]!));
    const reads = Array.from({ length: 10 }, async () => (await get(aws, "swap")).bytes.toString());
    for (const text of await Promise.all(reads)) expect(bodies).toContain(text);
    await Promise.all(writes);
    expect(blobs(aws)).toHaveLength(1);
  });

  it("survive a restart, and what a crash left half written does not", async () => {
    const dataDir = temporaryFolder();
    const before = await startTestAws({ dataDir });
    await put(before, "kept", "kept");
    await before.close();
    writeFileSync(path.join(dataDir, "objects", "half-written"), "x");
    const aws = await startTestAws({ dataDir });
    expect((await get(aws, "kept")).bytes.toString()).toBe("kept");
    expect(blobs(aws)).toHaveLength(1);
  });

  it("are deleted whether they exist or not, and are then not found", async () => {
    const aws = await startTestAws();
    await put(aws, "gone", "x");
    await aws.objects.send(new DeleteObjectCommand({ Bucket, Key: "gone" }));
    await aws.objects.send(new DeleteObjectCommand({ Bucket, Key: "gone" }));
    await expect(get(aws, "gone")).rejects.toMatchObject({ name: "NoSuchKey" });
    await expect(aws.objects.send(new HeadObjectCommand({ Bucket, Key: "gone" }))).rejects.toMatchObject({
      name: "NotFound",
    });
  });
});

it("lists by prefix in the order of the keys, page by page and by folder", async () => {
  const aws = await startTestAws();
  const keys = ["log/1", "log/10", "log/2", "log/a/x", "log/a/y", "log_/z", "logs", "other", "log/ü"];
  for (const key of keys) await put(aws, key, key);
  const list = (rest: object) => aws.objects.send(new ListObjectsV2Command({ Bucket, Prefix: "log/", ...rest }));
  const found: (string | undefined)[] = [];
  for (let token: string | undefined, more = true; more; ) {
    const answer = await list({ MaxKeys: 2, ...(token ? { ContinuationToken: token } : {}) });
    found.push(...(answer.Contents ?? []).map((item) => item.Key));
    token = answer.NextContinuationToken;
    more = answer.IsTruncated === true;
  }
  expect(found).toEqual(["log/1", "log/10", "log/2", "log/a/x", "log/a/y", "log/ü"]);
  const folders = await list({ Delimiter: "/" });
  expect(folders.CommonPrefixes).toEqual([{ Prefix: "log/a/" }]);
  expect(folders.Contents?.map((item) => item.Key)).toEqual(["log/1", "log/10", "log/2", "log/ü"]);
});
