import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ApiHandler } from "../createApi.ts";
import type { ApiEvent, ApiResponse } from "../exchange.ts";

/** Where Lambda's runtime takes an answer while it comes to be. */
export interface LambdaStream extends Writable {
  setContentType(type: string): void;
}

export type LambdaStreamHandler = (event: ApiEvent, out: LambdaStream) => Promise<void>;

declare global {
  /** Lambda's runtime for Node.js brings it along; there is none elsewhere. */
  var awslambda: { streamifyResponse(handler: LambdaStreamHandler): LambdaStreamHandler } | undefined;
}

/** API Gateway expects status and headers as JSON in front of the body, eight zero bytes between them. */
const withPrelude = "application/vnd.awslambda.http-integration-response";
const delimiter = "\0".repeat(8);

/**
 * Lets Lambda send the answers of a group as they come to be, errors included, for API Gateway's response transfer mode
 * STREAM. The prelude is written at once, so that the client has its headers before the first line.
 * @throws Error outside of Lambda
 */
export function streamToLambda(api: ApiHandler): LambdaStreamHandler {
  if (globalThis.awslambda === undefined) throw new Error("this function was bundled for AWS Lambda");
  return globalThis.awslambda.streamifyResponse(async (event, out) => {
    const left = new AbortController();
    out.once("close", () => left.abort());
    const { statusCode, headers, ...answer } = await api(event, { signal: left.signal });
    out.setContentType(withPrelude);
    out.write(JSON.stringify({ statusCode, headers }) + delimiter);
    await send(answer, out);
  });
}

async function send(
  { body, isBase64Encoded, stream }: Pick<ApiResponse, "body" | "isBase64Encoded" | "stream">,
  out: LambdaStream,
): Promise<void> {
  const bytes = Buffer.from(body, isBase64Encoded === true ? "base64" : "utf8");
  try {
    await pipeline(stream ?? Readable.from(bytes.length === 0 ? [] : [bytes]), out);
  } catch (error) {
    // A client that leaves is no failure of the function.
    if (!isEarlyClose(error)) throw error;
  }
}

function isEarlyClose(error: unknown): boolean {
  const codes: unknown[] = ["ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED", "ECONNRESET", "EPIPE"];
  return error instanceof Error && "code" in error && codes.includes(error.code);
}
