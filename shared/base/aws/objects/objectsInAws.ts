import type { Readable } from "node:stream";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { config } from "../../settings/config.ts";
import type { ObjectStore } from "../adapters.ts";
import { s3 } from "./s3.ts";

export const put: ObjectStore["put"] = async ({ key, content, contentType, contentEncoding }) => {
  await s3().send(
    new PutObjectCommand({
      Bucket: config().SLIPWAY_BUCKET,
      Key: key,
      Body: content,
      ContentType: contentType,
      ContentEncoding: contentEncoding,
    }),
  );
};

export const open: ObjectStore["open"] = async (key) => {
  try {
    const { Body } = await s3().send(new GetObjectCommand({ Bucket: config().SLIPWAY_BUCKET, Key: key }));
    if (Body === undefined) throw new Error(`object ${key} has no content`);
    return Body as Readable;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

export const list: ObjectStore["list"] = async (prefix) => {
  const { Contents = [] } = await s3().send(
    new ListObjectsV2Command({ Bucket: config().SLIPWAY_BUCKET, Prefix: prefix }),
  );
  return Contents.map(({ Key = "", Size = 0 }) => ({ key: Key, sizeBytes: Size }));
};

export const remove: ObjectStore["remove"] = async (keys) => {
  if (keys.length === 0) return;
  const Objects = keys.map((Key) => ({ Key }));
  const answer = await s3().send(
    new DeleteObjectsCommand({ Bucket: config().SLIPWAY_BUCKET, Delete: { Objects, Quiet: true } }),
  );
  const [error] = answer.Errors ?? [];
  if (error !== undefined) throw new Error(`object ${error.Key} was not removed: ${error.Code} ${error.Message}`);
};

/** To a caller that may not list a bucket, S3 says of an object that does not exist that it may not be read. */
function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && (error.name === "NoSuchKey" || error.name === "AccessDenied");
}
