import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { outboundAgent } from "../../outbound/outboundAgent.ts";
import type { ClusterEndpoint } from "./ClusterEndpoint.ts";
import { wholeOf } from "./wholeOf.ts";
import type { Wire, WireAnswer, WireRequest } from "./wire.ts";

/** HTTP/1.1 over as many kept-alive connections as there are requests at once. */
export function http1Wire({ server, tls, rule }: ClusterEndpoint): Wire {
  const scheme = server.protocol === "http:" ? "http:" : "https:";
  const agent = outboundAgent(rule, scheme, tls);
  const request = scheme === "http:" ? httpRequest : httpsRequest;

  function sendBy<Body>(
    { method, path, headers, body, signal }: WireRequest,
    read: (answer: IncomingMessage) => Body,
  ): Promise<WireAnswer<Body>> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const sent = request(new URL(path, server), { agent, method, headers: { ...headers, ...length }, signal });
      sent.on("error", reject);
      sent.on("response", (answer) => {
        const { "retry-after": retryAfter, "content-type": contentType } = answer.headers;
        resolve({ status: answer.statusCode ?? 0, retryAfter, contentType, body: read(answer) });
      });
      sent.end(body);
    });
  }

  return {
    send: (request) => sendBy(request, (answer) => answer),
    read: async (request) => {
      const answer = await sendBy(request, wholeOf);
      return { ...answer, body: await answer.body };
    },
    close: () => agent.destroy(),
  };
}
