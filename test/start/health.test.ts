import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { readiness } from "../../functions/api/meta/readiness.ts";
import { startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

/** A server that answers as a cluster does when it is asked for its version, until it is closed. */
async function clusterAnswering(): Promise<{ kubeconfig: string; server: Server }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ major: "1", minor: "35", gitVersion: "v1.35.0" }));
  }).listen(0, "127.0.0.1");
  await waitFor("a port", async () => server.listening);
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "one" },
    clusters: [{ name: "one", cluster: { server: address } }],
    users: [{ name: "one", user: { token: "a-token" } }],
    contexts: [{ name: "one", context: { cluster: "one", user: "one" } }],
  });
  return { kubeconfig, server };
}

describe("whoever looks after the process", () => {
  test("is told without a token that it answers, and that all parts work, and nothing else", async () => {
    const slipway = await startSlipway();
    onTestFinished(() => slipway.close());
    const ask = async (path: string) => {
      const { status, json } = await slipway.call<object>("GET", path, { token: null });
      return [status, json];
    };
    expect(await ask("/healthz")).toEqual([200, { status: "ok" }]);
    expect(await ask("/readyz")).toEqual([200, { status: "ready" }]);
  });

  test("is told which part does not work while the process answers", async () => {
    const { kubeconfig, server } = await clusterAnswering();
    const slipway = await startSlipway({ kubeconfig });
    onTestFinished(() => slipway.close());
    expect((await slipway.call("GET", "/readyz", { token: null })).status).toBe(200);
    server.closeAllConnections();
    server.close();
    const answer = await waitFor("the part to be missed", async () => {
      const asked = await slipway.call<{ description: string }>("GET", "/readyz", { token: null });
      return asked.status === 503 && asked;
    });
    expect(answer.json).toMatchObject({ code: 503, description: "not ready: cluster" });
    expect((await slipway.call("GET", "/healthz", { token: null })).status).toBe(200);
  });
});

test("parts are asked once however often anybody asks, each for itself, and none is waited for long", async () => {
  let asked = 0;
  const failures = readiness({
    working: async () => void asked++,
    broken: async () => Promise.reject(new Error("the disk is full")),
    silent: () => new Promise(() => {}),
  });
  const answers = await Promise.all([failures(), failures(), failures()]);
  expect(asked).toBe(1);
  for (const answer of answers)
    expect(answer).toEqual([
      { part: "broken", reason: "the disk is full" },
      { part: "silent", reason: "no answer in 3000 ms" },
    ]);
});
