import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { handler as reconciler } from "../../functions/triggers/reconciler/handler.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { containersOf } from "../../shared/manifest/containers.ts";
import { localClusterId } from "../harness/boutique.ts";
import { untilStored } from "../harness/environmentSuite.ts";
import { servedYaml } from "../harness/manifests.ts";
import { newPerson, type Person } from "../harness/people.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, type ShownJob, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000 });

const namespace = "shop-dev";
const production = "shop-live";
let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let client: ClusterClient;
/** Runs workflows, and executes no stage by hand. */
let eve: Person;

const services = ["held", "given-up", "late", "asked", "gray", "over"];

beforeAll(async () => {
  // So that a step lasts until it is held.
  ({ slipway, tasks } = await startShop({
    podDelayMilliseconds: 4000,
    settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8", SLIPWAY_DECISION_SECONDS: "20" },
  }));
  client = connect({
    kind: "kubeconfig",
    text: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8"),
    trusted: true,
  });
  for (const service_name of services) {
    const body = { service_name, yaml: servedYaml(service_name), variable_yaml: [] };
    expect((await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body })).status).toBe(200);
  }
  const body = {
    ...{ cluster_id: localClusterId, registry_id: "0123456789abcdef12345679", env_key: "dev", namespace },
    services: services.map((service_name) => ({ service_name })),
  };
  expect((await slipway.call("POST", "/openapi/environments?projectKey=shop", { body })).status).toBe(200);
  await untilStored(slipway, "dev", "success", "shop");
  await makeProduction("frozen");
  eve = await newPerson("eve", [{ namespace: "shop", roles: { starter: ["run_workflow", "get_workflow"] } }]);
}, 120_000);

/** The environment `live`, with one service. */
async function makeProduction(service_name: string): Promise<void> {
  const made = async (path: string, body: object) => {
    const { status, text } = await slipway.call("POST", `${path}?projectKey=shop`, { body });
    expect(status, text).toBe(200);
  };
  const yaml = servedYaml(service_name);
  await made("/openapi/service/yaml/production/raw", { service_name, yaml, variable_yaml: [] });
  const environments = "/openapi/environments/production";
  await made(environments, {
    ...{ cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" },
    ...{ env_key: "live", env_name: "live", namespace: production },
  });
  const untilAt = (...statuses: string[]) =>
    waitFor(`production to be ${statuses.join(" or ")}`, async () => {
      const { json } = await slipway.call<{ status: string }>("GET", `${environments}/live?projectKey=shop`);
      return statuses.includes(json.status);
    });
  await untilAt("running", "succeeded");
  await made(`${environments}/service/yaml`, { env_key: "live", service_list: [{ service_name }] });
  await untilAt("running");
}

afterAll(async () => {
  client?.close();
  await slipway?.close();
  delete process.env.SLIPWAY_DECISION_SECONDS;
});

const deploy = (name: string, place = namespace) => ({
  ...{ name: "deploy", type: "k8s-canary-deploy" },
  spec: {
    ...{ cluster_id: localClusterId, namespace: place },
    targets: [{ k8s_service_name: name, container_name: "main", image: `${name}:2`, canary_percentage: 50 }],
  },
});
const release = { name: "release", type: "k8s-canary-release", spec: { from_job: "deploy" } };

type Action = "pause" | "promote" | "abort";
const controlPath = "/openapi/workflows/custom/task/rollout";
const control = (
  workflow_key: string,
  task_id: number,
  job_name: string,
  action: Action | string,
  token?: string,
  query = "",
) => {
  const body = { workflow_key, task_id, job_name, action };
  return slipway.call<{ code: number; description: string; message: string }>("POST", `${controlPath}${query}`, {
    body,
    ...(token !== undefined && { token }),
  });
};

async function ok(answer: ReturnType<typeof control>): Promise<void> {
  const { status, text } = await answer;
  expect([status, text]).toEqual([200, '{"message":"success"}']);
}

async function refused(answer: ReturnType<typeof control>, code: number, reason: string): Promise<void> {
  const { status, json } = await answer;
  expect([status, json.code, json.description]).toEqual([
    code < 1000 ? code : 400,
    code,
    expect.stringContaining(reason),
  ]);
}

/** A canary in one stage: nobody stands between its two jobs. */
async function canary(name: string, place = namespace): Promise<number> {
  await makeWorkflow("shop", { name, stages: [{ name: "all", jobs: [deploy(name, place), release, gate("after")] }] });
  return tasks.started(name, ["deploy", "release"]);
}

interface Held extends ShownJob {
  hold?: { held_by: string; hold_time: number; hold_until: number; stands: string };
}

const jobOf = ({ stages }: ShownTask, name: string): Held => {
  const found = stages.flatMap(({ jobs }) => jobs).find(({ origin_name }) => origin_name === name);
  if (found === undefined) throw new Error(`no job ${name}`);
  return found;
};
const untilStands = (workflow: string, id: number, job: string, stands: string) =>
  tasks.until(workflow, id, `held ${stands} ${job}`, (task) => jobOf(task, job).hold?.stands === stands);
const untilRuns = (workflow: string, id: number, job: string) =>
  tasks.until(workflow, id, `at ${job}`, (task) => jobOf(task, job).status === "running");

async function imageOf(name: string, place = namespace): Promise<unknown> {
  const live = await findObject(client, { apiVersion: "apps/v1", kind: "Deployment", name, namespace: place });
  const [container] = (live === undefined ? [] : containersOf(live)) as { image: string }[];
  return container?.image;
}

const untilTakenBack = (name: string) =>
  waitFor(`${name} to be as it was`, async () => {
    await reconciler();
    return (await imageOf(`${name}-canary`)) === undefined && (await imageOf(name)) === `${name}:1`;
  });

describe("control of rollouts (decisions 12.6)", () => {
  test("a step that is held before it begins does nothing until it is promoted", async () => {
    const id = await canary("held");
    await untilRuns("held", id, "deploy");
    await ok(control("held", id, "release", "pause"));
    await ok(control("held", id, "release", "pause"));
    const standing = await untilStands("held", id, "release", "before");
    const { hold, status, start_time } = jobOf(standing, "release");
    expect(hold).toMatchObject({ held_by: "admin", hold_until: (hold?.hold_time ?? 0) + 20 });
    expect([status, start_time, jobOf(standing, "deploy").status]).toEqual(["prepare", undefined, "passed"]);
    expect([await imageOf("held"), await imageOf("held-canary")]).toEqual(["held:1", "held:2"]);

    await ok(control("held", id, jobOf(standing, "release").name, "promote"));
    await ok(control("held", id, "release", "promote"));
    const task = await tasks.end("held", id);
    expect([task.status, jobOf(task, "release").hold]).toEqual(["passed", undefined]);
    expect([await imageOf("held"), await imageOf("held-canary")]).toEqual(["held:2", undefined]);
    await refused(control("held", id, "release", "promote"), 6164, "is passed");
  });

  test("a step that is held while it works does its work, and nothing follows it; aborted, it is taken back", async () => {
    const id = await canary("given-up");
    await untilRuns("given-up", id, "deploy");
    await ok(control("given-up", id, "deploy", "pause"));
    const standing = await untilStands("given-up", id, "deploy", "after");
    expect(jobOf(standing, "deploy")).toMatchObject({ status: "running", spec: { canary_replica: 1 } });
    expect(jobOf(standing, "release").status).toBe("");
    await ok(control("given-up", id, "deploy", "abort"));
    await ok(control("given-up", id, "release", "abort"));
    const task = await tasks.end("given-up", id);
    expect([task.status, task.task_revoker]).toEqual(["cancelled", "admin"]);
    await untilTakenBack("given-up");
    await refused(control("given-up", id, "deploy", "pause"), 6164, "task 1 is cancelled");
  });

  test("what nobody promotes in time ends as timed out, and is taken back", async () => {
    const id = await canary("late");
    await untilRuns("late", id, "deploy");
    await ok(control("late", id, "release", "pause"));
    await untilStands("late", id, "release", "before");
    const task = await tasks.end("late", id, 60);
    expect(jobOf(task, "release")).toMatchObject({
      ...{ status: "timeout", error: expect.stringContaining("nobody let it go on in time") },
    });
    await untilTakenBack("late");
  });

  test("the stage that waits for a release is executed by whoever may, and a hold of its job goes with it", async () => {
    const executors = [{ type: "user", user_id: (await newPerson("ann")).uid, user_name: "ann" }];
    await makeWorkflow("shop", {
      name: "asked",
      stages: [
        { name: "beside", jobs: [deploy("asked")] },
        { name: "shift", manual_exec: { enabled: true, manual_exec_users: executors }, jobs: [release] },
      ],
    });
    const id = await tasks.started("asked", ["deploy", "release"]);
    await refused(control("asked", id, "release", "promote"), 6164, "neither is it held");
    await tasks.until("asked", id, "at the question", ({ status }) => status === "pause");
    await ok(control("asked", id, "release", "pause"));
    await refused(control("asked", id, "release", "promote", eve.token), 403, "is not an executor");
    expect(jobOf(await tasks.read("asked", id), "release").hold).toMatchObject({ stands: "" });
    await Promise.all(Array.from({ length: 5 }, () => ok(control("asked", id, "release", "promote"))));
    const task = await tasks.end("asked", id);
    expect([task.status, await imageOf("asked")]).toEqual(["passed", "asked:2"]);
  });

  test("a step of a gray release is held like any other, whoever pauses and promotes at the same moment", async () => {
    const target = { workload_type: "Deployment", workload_name: "gray", container_name: "main", image: "gray:2" };
    const step = (name: string, gray_scale: number, more: object) => ({
      ...{ name, type: "k8s-gray-release", spec: { gray_scale, ...more } },
    });
    const jobs = [
      step("few", 50, { cluster_id: localClusterId, namespace, targets: [target] }),
      step("all", 100, { from_job: "few" }),
    ];
    await makeWorkflow("shop", { name: "gray", stages: [{ name: "all", jobs }] });
    const id = await tasks.started("gray", ["few", "all"]);
    await untilRuns("gray", id, "few");
    await Promise.all(Array.from({ length: 5 }, () => ok(control("gray", id, "few", "pause"))));
    await untilStands("gray", id, "few", "after");
    await ok(control("gray", id, "all", "pause"));
    await Promise.all(Array.from({ length: 5 }, () => ok(control("gray", id, "few", "promote"))));
    await untilStands("gray", id, "all", "before");
    expect([await imageOf("gray"), await imageOf("gray-zadig-gray")]).toEqual(["gray:1", "gray:2"]);
    const actions = Array.from({ length: 6 }, () => ["pause", "promote"]).flat();
    await Promise.all(actions.map((action) => ok(control("gray", id, "all", action))));
    await tasks.until("gray", id, "gone on", (task) => {
      const { hold, status } = jobOf(task, "all");
      return hold !== undefined || status !== "prepare";
    });
    await control("gray", id, "all", "promote");
    const task = await tasks.end("gray", id);
    expect([task.status, await imageOf("gray")]).toEqual(["passed", "gray:2"]);
  });

  test("what is held before it begins is not let go on while production is frozen, unless somebody may and says why", async () => {
    const passer = await newPerson("passer", [
      { namespace: "shop", roles: { passer: ["run_workflow", "get_workflow", "override_freeze"] } },
    ]);
    const id = await canary("frozen", production);
    await untilRuns("frozen", id, "deploy");
    await ok(control("frozen", id, "release", "pause"));
    await untilStands("frozen", id, "release", "before");
    const now = Math.floor(Date.now() / 1000);
    const freeze = {
      ...{ name: "Year end", reason: "the books are open", start_time: now - 60, end_time: now + 3600 },
      environments: [{ project_key: "shop", env_name: "live" }],
    };
    expect((await slipway.call("POST", "/openapi/release_plan/v1/freezes", { body: freeze })).status).toBe(200);
    const promote = (token: string, query?: string) => control("frozen", id, "release", "promote", token, query);
    const reason = "?override_reason=customers+wait";
    await refused(promote(eve.token), 409, 'by "Year end": the books are open');
    await refused(promote(passer.token), 409, 'by "Year end": the books are open');
    await refused(promote(eve.token, reason), 403, "override_freeze");
    expect(jobOf(await tasks.read("frozen", id), "release").hold).toMatchObject({ stands: "before" });
    expect(await imageOf("frozen", production)).toBe("frozen:1");

    await ok(promote(passer.token, reason));
    const task = await tasks.end("frozen", id);
    expect(task).toMatchObject({ status: "passed", override_reason: "customers wait" });
    expect(await imageOf("frozen", production)).toBe("frozen:2");
  });

  test("what does not fit is refused with what is wrong", async () => {
    const id = await canary("over");
    await untilRuns("over", id, "release");
    await refused(control("over", id, "deploy", "pause"), 6164, "job deploy is passed");
    await refused(control("over", id, "release", "promote"), 6164, "job release is running; neither is it held");
    await refused(control("over", id, "after", "pause"), 400, "type approval, which is no step of a rollout");
    await refused(control("over", id, "missing", "pause"), 404, "job missing of task 1 of workflow over");
    await refused(control("over", id + 1, "deploy", "pause"), 404, "task 2 of workflow over");
    await refused(control("nowhere", id, "deploy", "pause"), 404, "task 1 of workflow nowhere");
    for (const action of ["stop", "constructor", ""])
      await refused(control("over", id, "deploy", action), 400, "must be pause, promote or abort");
    await tasks.end("over", id);
    await refused(control("over", id, "release", "abort"), 6164, "task 1 is passed");
    await refused(control("over", id, "release", "pause"), 6164, "task 1 is passed");
  });

  test("who does what stands in the operation log", async () => {
    const path = "/openapi/system/operation?searchType=all&perPage=100&page=1";
    const { json } = await slipway.call<{ operation_logs: Record<string, unknown>[] }>("GET", path);
    const told = json.operation_logs
      .filter(({ detail, function: name }) => detail === "given-up" && name === "Workflow Task")
      .map(({ method, status }) => `${method} ${status}`);
    expect(told).toEqual(["Pause 400", "Abort 200", "Abort 200", "Pause 200", "Create 200"]);
  });
});
