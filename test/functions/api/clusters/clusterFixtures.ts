import type { RequestListener } from "node:http";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { dump } from "js-yaml";
import { onTestFinished } from "vitest";

/** A kubeconfig as an administrator would send it, with changes to its cluster and user entries. */
export function kubeconfig(server: string, user: object = { token: "a-static-token" }, cluster: object = {}): string {
  return dump({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "main",
    clusters: [{ name: "main", cluster: { server, ...cluster } }],
    contexts: [{ name: "main", context: { cluster: "main", user: "main" } }],
    users: [{ name: "main", user }],
  });
}

/** A Kubernetes API server that has one namespace, for the test that starts it. */
export const oneNamespace: RequestListener = (_, response) => {
  response.setHeader("content-type", "application/json");
  const items = [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }];
  response.end(JSON.stringify({ apiVersion: "v1", kind: "NamespaceList", metadata: { resourceVersion: "1" }, items }));
};

/** Answers every call with a Kubernetes status. */
export function refusing(code: number, reason: string, message: string): RequestListener {
  return (_, response) => {
    response.writeHead(code, { "content-type": "application/json" });
    response.end(JSON.stringify({ apiVersion: "v1", kind: "Status", status: "Failure", code, reason, message }));
  };
}

/** Listens on 127.0.0.1 until the test is over; over TLS when an identity is given. */
export async function serve(
  answer: RequestListener,
  identity?: { key: string; certificate: string },
): Promise<{ url: string; requests: () => number }> {
  let requests = 0;
  const counted: RequestListener = (request, response) => {
    requests += 1;
    return answer(request, response);
  };
  const server =
    identity === undefined
      ? createHttpServer(counted)
      : createHttpsServer({ key: identity.key, cert: identity.certificate }, counted);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const scheme = identity === undefined ? "http" : "https";
  return { url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests };
}
