import { createSecureServer, type ServerHttp2Stream } from "node:http2";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Writable } from "node:stream";
import type { BrittleCluster } from "./brittleCluster.ts";
import { waitFor } from "./waitFor.ts";

/** One request for a log, as the cluster has it. */
export interface LogRequest {
  query: URLSearchParams;
  out: Writable;
  isClosed(): boolean;
  /** Breaks the answer off. */
  breakOff(): void;
}

export interface ScriptedLogs {
  requests: LogRequest[];
  /** The request of this number, from 0, once it is there. */
  request(number: number): Promise<LogRequest>;
  close(): Promise<void>;
}

type Answer = (path: string, out: Writable, breakOff: () => void) => Promise<void>;

/** Takes the cluster's place: pods are those of the cluster, logs are what a test writes. */
export async function scriptLogs(cluster: BrittleCluster, wire: "HTTP/1.1" | "HTTP/2"): Promise<ScriptedLogs> {
  const requests: LogRequest[] = [];
  const { listen, close } = serverOf(wire, cluster.identity, async (path, out, breakOff) => {
    const url = new URL(path, "https://cluster");
    const [, namespace, name, log] = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)(\/log)?$/.exec(url.pathname) ?? [];
    // A watcher lingers and goes on asking for workloads.
    if (name === undefined) return breakOff();
    if (log === undefined) {
      const pod = await cluster.client.get({ apiVersion: "v1", kind: "Pod", namespace, name });
      out.end(JSON.stringify(pod));
      return;
    }
    let closed = false;
    out.once("close", () => {
      closed = true;
    });
    out.on("error", () => {});
    requests.push({ query: url.searchParams, out, isClosed: () => closed, breakOff });
  });
  await cluster.leadTo(await listen());
  return {
    requests,
    request: (number) => waitFor(`request ${number} for a log`, async () => requests[number]),
    close: async () => {
      await cluster.mend();
      close();
    },
  };
}

function serverOf(wire: "HTTP/1.1" | "HTTP/2", identity: BrittleCluster["identity"], answer: Answer) {
  const options = { key: identity.key, cert: identity.certificate };
  const server =
    wire === "HTTP/2"
      ? createSecureServer(options).on("stream", (stream: ServerHttp2Stream, headers) => {
          stream.respond({ ":status": 200 });
          return answer(headers[":path"] ?? "/", stream, () => void stream.destroy(new Error("broken off")));
        })
      : createServer(options, (request, response) => {
          return answer(request.url ?? "/", response, () => void response.destroy());
        });
  const listen = async (): Promise<number> => {
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", () => resolve()));
    return (server.address() as AddressInfo).port;
  };
  return { listen, close: () => void server.close() };
}
