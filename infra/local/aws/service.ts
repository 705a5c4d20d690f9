import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import * as z from "zod";
import { AwsError } from "./awsError.ts";

/** One request as the services see it. `path` is as sent, still encoded: keys of objects may hold `..` and `//`. */
export type AwsRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Readable;
};

export type AwsResponse = {
  status: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array | Readable;
};

/** A service answers a request or throws; AwsError is answered by name. `renderError` is the service's own wire form. */
export type AwsService = {
  handle(request: AwsRequest): Promise<AwsResponse>;
  renderError(error: AwsError): AwsResponse;
};

/** The whole body, at most `limitBytes`. @throws AwsError RequestEntityTooLargeException (413) */
export async function readBody(request: AwsRequest, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.length;
    if (size > limitBytes) throw new AwsError("RequestEntityTooLargeException", `more than ${limitBytes} bytes`, 413);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads JSON into the schema's type. @throws AwsError ValidationException, naming every field that is wrong */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new AwsError("ValidationException", z.prettifyError(result.error));
}

/** Parses a JSON body. @throws AwsError SerializationException */
export function parseJson(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new AwsError("SerializationException", "the body is not JSON");
  }
}
