import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline } from "node:stream/promises";

/** Bytes that are sent: all at once, or as they come. */
export type Body = Buffer | AsyncIterable<Buffer>;

export interface Outgoing {
  method: string;
  headers: Record<string, string>;
  body?: Body | undefined;
  signal: AbortSignal;
}

/** A connection on which nothing moves for so long is given up; a registry may take its time over a large blob's end. */
const idleMilliseconds = 120_000;

/**
 * One request; the answer's body has to be read or thrown away by the caller.
 * @throws Node's error, what the body throws, or the signal's reason
 */
export function exchange(url: URL, agent: HttpAgent, outgoing: Outgoing): Promise<IncomingMessage> {
  const { method, headers, body, signal } = outgoing;
  const send = url.protocol === "http:" ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const request = send(url, { agent, method, headers, signal, timeout: idleMilliseconds });
    request.on("timeout", () =>
      request.destroy(Object.assign(new Error(`nothing came for ${idleMilliseconds / 1000} s`), { code: "ETIMEDOUT" })),
    );
    request.on("response", (answer) => {
      // A refusal that came before the body was sent ends it.
      answer.once("close", () => {
        if (!request.writableFinished) request.destroy();
      });
      resolve(answer);
    });
    request.on("error", (error) => reject(signal.aborted ? signal.reason : error));
    if (body === undefined || Buffer.isBuffer(body)) request.end(body);
    else pipeline(body, request).catch(reject);
  });
}

/**
 * The whole body of an answer.
 * @returns undefined when it is longer than `maxBytes`; the rest is not read
 */
export async function readAll(answer: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) {
      answer.destroy();
      return undefined;
    }
    parts.push(part);
  }
  return Buffer.concat(parts, size);
}
