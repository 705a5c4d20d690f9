import { Agent, request } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { at } from "../../../../infra/local/cluster/model/object.ts";

export interface Answer {
  code: number;
  /** The JSON body, or the text of any other. */
  body: unknown;
  headers: NodeJS.Dict<string | string[]>;
}

export interface RawClient {
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Server-side apply. */
  apply(path: string, manager: string, body: unknown, query?: string): Promise<Answer>;
  patch(path: string, type: "json-patch" | "merge-patch" | "strategic-merge-patch", body: unknown): Promise<Answer>;
  close(): void;
}

/** The value at a dotted path of an answer's body. */
export function field(answer: Answer, path: string): unknown {
  return at(answer.body, ...path.split("."));
}

/** Requests as they are, without a client library's help, to whatever cluster a kubeconfig names. */
export function rawClient(kubeconfig: string, userAgent = "raw/1"): RawClient {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const cluster = config.getCurrentCluster()!;
  const token = config.getCurrentUser()!.token!;
  const agent = new Agent({ keepAlive: true, maxSockets: 16, ca: Buffer.from(cluster.caData!, "base64") });
  const send: RawClient["send"] = (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
      const call = request(
        new URL(path, cluster.server),
        {
          method,
          agent,
          headers: {
            authorization: `Bearer ${token}`,
            "user-agent": userAgent,
            ...(text === undefined
              ? {}
              : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString();
            const json = response.headers["content-type"]?.includes("json");
            resolve({
              code: response.statusCode ?? 0,
              body: json ? JSON.parse(text) : text,
              headers: response.headers,
            });
          });
        },
      );
      call.on("error", reject);
      call.end(text);
    });
  return {
    send,
    apply: (path, manager, body, query = "") =>
      send("PATCH", `${path}?fieldManager=${manager}${query}`, body, {
        "content-type": "application/apply-patch+yaml",
      }),
    patch: (path, type, body) => send("PATCH", path, body, { "content-type": `application/${type}+json` }),
    close: () => agent.destroy(),
  };
}
