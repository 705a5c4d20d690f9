import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Scheme } from "./checkAddress.ts";
import { type OutboundRule, outboundAgent, type TlsOptions } from "./outboundAgent.ts";
import { AnswerTooLong, OutboundFailed, OutboundRefused } from "./outboundErrors.ts";

export interface CheckedRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  tls?: TlsOptions;
  /** Longest answer that is read; default 1 MiB. */
  maxBytes?: number;
  /** Limit on the whole exchange; default 15 seconds. */
  timeoutSeconds?: number;
}

export interface CheckedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/**
 * One request to an address that a user gave. Redirects are never followed: the 3xx answer is returned, so
 * that credentials cannot travel on.
 * @throws OutboundRefused for a forbidden address, scheme or size; OutboundFailed when no answer comes in time
 */
export function checkedFetch(
  rule: OutboundRule,
  address: string,
  options: CheckedRequest = {},
): Promise<CheckedResponse> {
  const { maxBytes = 1_048_576, timeoutSeconds = 15 } = options;
  const url = parseAddress(address);
  const agent = outboundAgent(rule, url.protocol === "http:" ? "http:" : "https:", options.tls);
  return new Promise<CheckedResponse>((resolve, reject) => {
    const timeout = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000));
    const send = url.protocol === "http:" ? httpRequest : httpsRequest;
    const request = send(url, {
      agent,
      method: options.method ?? "GET",
      headers: options.headers ?? {},
      signal: timeout,
    });
    const fail = (error: NodeJS.ErrnoException) => {
      if (error instanceof OutboundRefused) return reject(error);
      if (timeout.aborted)
        return reject(
          new OutboundFailed(url.host, `no complete answer within ${timeoutSeconds} s`, "ETIMEDOUT", error),
        );
      reject(new OutboundFailed(url.host, `cannot be reached: ${error.message}`, error.code ?? "UNKNOWN", error));
    };
    request.on("error", fail);
    request.on("response", (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      response.on("data", (part: Buffer) => {
        size += part.length;
        if (size <= maxBytes) return parts.push(part);
        request.destroy();
        reject(new AnswerTooLong(url.host, `the answer is longer than ${maxBytes} bytes`, "ask for less"));
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
      );
      response.on("error", fail);
    });
    request.end(options.body);
  }).finally(() => agent.destroy());
}

/**
 * Reads an address that a user gave.
 * @throws OutboundRefused unless it is an absolute http or https address without credentials
 */
export function parseAddress(address: string): URL & { protocol: Scheme } {
  const url = URL.parse(address);
  const right = "give an absolute https address such as https://registry.example.com";
  if (url === null) throw new OutboundRefused(address.slice(0, 100), "is not an address", right);
  if (!hasScheme(url))
    throw new OutboundRefused(url.host || url.protocol, `scheme ${url.protocol} is not allowed`, right);
  if (url.username !== "" || url.password !== "")
    throw new OutboundRefused(url.host, "credentials may not stand in an address", "give them in their own fields");
  return url;
}

function hasScheme(url: URL): url is URL & { protocol: Scheme } {
  return url.protocol === "https:" || url.protocol === "http:";
}
