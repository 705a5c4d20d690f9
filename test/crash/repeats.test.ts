import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { handler } from "../../functions/engine/environment-change/handler.ts";
import { completeTask, executionStatus } from "../../shared/base/aws/states/stateMachines.ts";
import { config } from "../../shared/base/settings/config.ts";
import { executionName, resumeChange } from "../../shared/environments/change/changeControl.ts";
import { findChange } from "../../shared/environments/store/changes.ts";
import { findEnvironment } from "../../shared/environments/store/environments.ts";
import { waitsOf } from "../../shared/environments/store/readinessWaits.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId } from "../../shared/kube/clusters/store/clusters.ts";
import { detailOf, environmentBody, untilStatus } from "../harness/boutique.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 90_000 });

const services = ["web", "cache"];
const list = "/openapi/environments?projectKey=shop";
const success = '{"message":"success"}';

let slipway: Slipway;
let cluster: ClusterClient;

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 3000, hasWatcherThreads: true });
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  cluster = connect({ kind: "kubeconfig", text, trusted: true });
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await slipway.call("POST", "/openapi/projects/project", { body: project });
  for (const service_name of services) {
    const body = { service_name, yaml: deploymentYaml(service_name, `${service_name}:1`) };
    await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body });
  }
});

afterAll(async () => {
  cluster.close();
  await slipway.close();
});

async function create(envKey: string): Promise<void> {
  const wanted = services.map((service_name) => ({ service_name, type: "k8s" }));
  const body = { ...environmentBody(envKey, `shop-${envKey}`), services: wanted };
  expect((await slipway.call("POST", list, { body })).text).toBe(success);
}

async function changeIdOf(envKey: string): Promise<string> {
  return (await findEnvironment("shop", envKey))?.changeId ?? "";
}

/** The wait of an environment's creation, once there is one. */
function waitOf(envKey: string) {
  return waitFor(`${envKey} to be waited for`, async () => {
    const changeId = await changeIdOf(envKey);
    return (await waitsOf(localClusterId)).find((wait) => wait.changeId === changeId);
  });
}

async function generations(namespace: string): Promise<(number | undefined)[]> {
  const { items } = await cluster.list({ apiVersion: "apps/v1", kind: "Deployment" }, { namespace });
  return items.map(({ metadata }) => metadata.generation);
}

describe("a creation reaches its end", () => {
  test("when its watcher is killed again and again", async () => {
    await create("watched");
    await waitOf("watched");
    for (let kills = 0; kills < 3; kills++) {
      await slipway.runtime.killWatchers();
      await slipway.runtime.reconcile();
    }
    await untilStatus(slipway, "shop", "watched", "running");
  });

  test("when its watcher is killed and only the reconciler comes by", async () => {
    await create("reconciled");
    await waitOf("reconciled");
    await slipway.runtime.killWatchers();
    const stored = async () => (await detailOf(slipway, "shop", "reconciled")).stored_status;
    expect(await stored()).toBe("creating");
    await slipway.runtime.reconcile();
    await untilStatus(slipway, "shop", "reconciled", "running");
  });
});

test("a change that ends between a look at it and one at its execution is not begun again", async () => {
  await create("ended");
  await waitOf("ended");
  const read = await findChange(await changeIdOf("ended"));
  if (read?.status !== "running") throw new Error("the change has ended already");
  await untilStatus(slipway, "shop", "ended", "running");
  const machine = config().SLIPWAY_ENVIRONMENT_CHANGE_ARN;
  await waitFor("its end", async () => (await executionStatus(machine, executionName(read))) === "SUCCEEDED");
  await resumeChange(read);
  expect((await findChange(read.changeId))?.attempt).toBe(read.attempt);
});

describe("a step that runs twice", () => {
  test("leads where it leads once, in a creation", async () => {
    await create("doubled");
    const { taskToken, changeId, waitId } = await waitOf("doubled");
    const group = Number(waitId.split("#")[1]);
    const events = [
      { task: "prepare", changeId },
      { task: "applyServices", changeId, services },
      // As executions of an older version ask.
      ...services.map((service) => ({ task: "applyService", changeId, service })),
      { task: "awaitReady", changeId, group, services, taskToken },
    ];
    await Promise.all(events.flatMap((event) => [handler(event), handler(event)]));
    const detail = await untilStatus(slipway, "shop", "doubled", "running");
    expect(detail.services.map(({ error }) => error)).toEqual(["", ""]);
    expect(await generations("shop-doubled")).toEqual([1, 1]);
    // What comes after the end finds nothing to do any more.
    for (const event of [...events, { task: "conclude", changeId }])
      await expect(handler(event)).rejects.toMatchObject({ name: "ChangeSuperseded" });
    await handler({ task: "giveUp", changeId, error: "{}" });
    expect(await untilStatus(slipway, "shop", "doubled", "running")).toEqual(detail);
    expect(await waitsOf(localClusterId)).toEqual([]);
  });

  test("leads where it leads once, in a deletion, and reaches no new environment of the name", async () => {
    await create("short");
    await waitOf("short");
    const path = "/openapi/environments/short?projectKey=shop";
    expect((await slipway.call("DELETE", `${path}&isDelete=true`)).text).toBe(success);
    const changeId = await changeIdOf("short");
    const events = [
      ...services.map((service) => ({ task: "removeService", changeId, service })),
      { task: "prepare", changeId },
    ];
    await Promise.allSettled(events.flatMap((event) => [handler(event), handler(event)]));
    await Promise.allSettled(Array.from({ length: 4 }, () => handler({ task: "removeEnvironment", changeId })));
    await waitFor("it to be gone", async () => (await slipway.call("GET", path)).status === 404);
    await waitFor("the name to be free", async () => {
      const wanted = services.map((service_name) => ({ service_name, type: "k8s" }));
      const body = { ...environmentBody("short", "shop-short"), services: wanted };
      return (await slipway.call("POST", list, { body })).status === 200;
    });
    for (const event of [...events, { task: "removeEnvironment", changeId }])
      await expect(handler(event)).rejects.toMatchObject({ name: "ChangeSuperseded" });
    const detail = await untilStatus(slipway, "shop", "short", "running");
    expect(detail.services).toHaveLength(2);
  });
});

test("an answer to a token that nobody waits on any more changes nothing", async () => {
  await create("late");
  const { taskToken } = await waitOf("late");
  const before = await untilStatus(slipway, "shop", "late", "running");
  expect(await completeTask(taskToken, {})).toBe(false);
  expect(await completeTask(taskToken, { other: true })).toBe(false);
  expect(await detailOf(slipway, "shop", "late")).toEqual(before);
});
