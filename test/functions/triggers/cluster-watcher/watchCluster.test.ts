import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { watchCluster } from "../../../../functions/triggers/cluster-watcher/watchCluster.ts";
import { newId } from "../../../../shared/base/store/ids.ts";
import { holdLease, leaseLasts } from "../../../../shared/base/store/leases.ts";
import { putWait, waitsOf } from "../../../../shared/environments/store/readinessWaits.ts";
import { startCloud } from "../../../infra/aws/cloud.ts";

let cloud: Awaited<ReturnType<typeof startCloud>>;

beforeAll(async () => {
  cloud = await startCloud({ administrator: false });
}, 60_000);

afterAll(() => cloud.close());

/** Of the form that Step Functions gives out; nobody waits on it. */
const forgottenToken = () => randomBytes(64).toString("base64url");

/** A wait whose time is over, so that whoever takes it up settles it. */
async function overdueWait(clusterId: string, taskToken = forgottenToken()): Promise<void> {
  const workloads = [{ service: "web", apiVersion: "apps/v1", kind: "Deployment", name: "web" }];
  const ids = { waitId: newId(), clusterId, environmentId: newId(), namespace: "shop-dev" };
  await putWait({ ...ids, workloads, taskToken, deadline: 1 });
}

const watch = (clusterId: string) => watchCluster({ clusterId, holder: newId(), runSeconds: 60 });

test("a watcher that is woken for nothing ends before it would look again", async () => {
  const clusterId = newId();
  await holdLease(`watcher#${clusterId}`, "another", 8);
  await overdueWait(clusterId);
  const startedAt = performance.now();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => watch(clusterId)));
  expect(new Set(outcomes)).toEqual(new Set(["another watcher runs"]));
  // The first pause alone would be half a second, and the lease lasts for eight.
  expect(performance.now() - startedAt).toBeLessThan(5000);
  expect(await waitsOf(clusterId)).toHaveLength(1);
  expect(await leaseLasts(`watcher#${clusterId}`)).toBeGreaterThan(0);
});

test("one whose holder does not renew the lease takes it over, and the wait with it", async () => {
  const clusterId = newId();
  await holdLease(`watcher#${clusterId}`, "dead", 3);
  await overdueWait(clusterId);
  expect(await watch(clusterId)).toBe("done");
  expect(await waitsOf(clusterId)).toEqual([]);
}, 30_000);

test("waits that come while watchers are woken and end again are all taken up", async () => {
  const clusterId = newId();
  const wakes: Promise<string>[] = [];
  for (let round = 0; round < 20; round++) {
    await overdueWait(clusterId);
    wakes.push(watch(clusterId));
  }
  const outcomes = await Promise.all(wakes);
  expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
  expect(await waitsOf(clusterId)).toEqual([]);
}, 30_000);

test("one that fails gives its lease back", async () => {
  const clusterId = newId();
  await overdueWait(clusterId, "what Step Functions calls no token");
  await expect(watch(clusterId)).rejects.toThrow();
  expect(await leaseLasts(`watcher#${clusterId}`)).toBeLessThanOrEqual(0);
}, 30_000);
