import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type JobHarness, script, startJobHarness } from "../../../harness/jobHarness.ts";
import { waitFor } from "../../../harness/waitFor.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let harness: JobHarness;
/** Watches of Jobs and pods that are open, by namespace. */
const open = new Map<ClientRequest, string>();
let begun = 0;

const note = (message: unknown): void => {
  const { request } = message as { request: ClientRequest };
  const [, namespace = ""] = /\/namespaces\/([^/]+)\/(?:jobs|pods)\?.*watch=true/.exec(request.path) ?? [];
  if (namespace === "") return;
  begun++;
  open.set(request, namespace);
  request.once("close", () => open.delete(request));
};
const watched = () => [...open.values()].sort();

beforeAll(async () => {
  harness = await startJobHarness();
  subscribe("http.client.request.start", note);
});

afterAll(async () => {
  unsubscribe("http.client.request.start", note);
  await harness?.close();
});

test("a namespace is watched while jobs are awaited in it, and let go while others are awaited elsewhere", async () => {
  const long = await harness.start(harness.job([script("sleep 12")], { namespace: "slipway-jobs-b" }));
  const isOver = await harness.awaited(long);
  for (let time = 0; time < 2; time++)
    await harness.ended(await harness.start(harness.job([script("true")], { namespace: "slipway-jobs-a" })));
  expect(watched()).toEqual(["slipway-jobs-a", "slipway-jobs-a", "slipway-jobs-b", "slipway-jobs-b"]);
  // The second job of the one met the watches of the first.
  expect(begun).toBe(4);
  await waitFor("the watches of nobody to end", async () => watched().length === 2);
  expect([watched(), await isOver()]).toEqual([["slipway-jobs-b", "slipway-jobs-b"], false]);
  await waitFor("the long one", isOver, 30);
});
