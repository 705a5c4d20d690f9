import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { handler } from "../../functions/engine/job/handler.ts";
import { table } from "../../shared/base/store/table.ts";
import { findDeploy } from "../../shared/environments/store/jobDeploys.ts";
import { waitsOf } from "../../shared/environments/store/readinessWaits.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { passed } from "../../shared/workflows/jobs/runner.ts";
import { changeTask } from "../../shared/workflows/records/changeTask.ts";
import { findJob, findTask } from "../../shared/workflows/records/findTasks.ts";
import { changeJob } from "../../shared/workflows/records/records.ts";
import { tryName } from "../../shared/workflows/records/rules/tryName.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { taskWaiters } from "../../shared/workflows/records/waiters.ts";
import { environmentBody, localClusterId, untilStatus } from "../harness/boutique.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import type { Slipway } from "../harness/slipway.ts";
import { makeWorkflow, startShop, tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 60_000 });

let slipway: Slipway;
let cluster: ClusterClient;

beforeAll(async () => {
  ({ slipway } = await startShop({ podDelayMilliseconds: 3_600_000 }));
  cluster = connect({
    kind: "kubeconfig",
    text: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8"),
    trusted: true,
  });
});

afterAll(async () => {
  cluster.close();
  await slipway.close();
});

const runtime = { infrastructure: "kubernetes", build_os: "ubuntu 20.04" };
/** Its script does not end. */
const endless = { type: "freestyle", spec: { runtime, script_type: "shell", script: "sleep 3600" } };

/** A task whose only job goes on. */
async function runningJob(workflow: string, content: object = endless) {
  const tasks = tasksOf(slipway, "shop");
  const job = { name: "long", ...content };
  await makeWorkflow("shop", { name: workflow, stages: [{ name: "only", jobs: [job] }] });
  const taskId = await tasks.started(workflow, ["long"]);
  await tasks.until(workflow, taskId, "running", ({ stages }) => stages[0]?.jobs[0]?.status === "running");
  const ownerId = (await findTaskOwner(workflow))?.id ?? "";
  const [task, record] = [await findTask(ownerId, taskId), await findJob(ownerId, taskId, "job-0-0-0-long")];
  if (task === undefined || record === undefined) throw new Error("the task is not there");
  return { task, record, event: { ownerId, taskId, job: record.name } };
}

async function jobsInCluster(): Promise<string[]> {
  const { items } = await cluster.list({ apiVersion: "batch/v1", kind: "Job" }, { namespace: "slipway-jobs-shop" });
  return items.map(({ metadata }) => metadata.name);
}

test("a cancel that was interrupted takes the Job away when the job's machine runs again from its start", async () => {
  const { task, record, event } = await runningJob("cancelled");
  expect(await jobsInCluster()).toHaveLength(1);
  // The cancel got no further than this.
  await table().write(changeTask(task, { status: "cancelled" }, "cancel"));
  await handler({ task: "begin", ...event, taskToken: record.taskToken });
  await handler({ task: "finish", ...event });
  expect((await findJob(event.ownerId, event.taskId, event.job))?.status).toBe("cancelled");
  expect(await jobsInCluster()).toEqual([]);
});

test("a job whose end was kept, and no more, is taken away by whoever finishes it again", async () => {
  const { task, record, event } = await runningJob("kept");
  expect(await jobsInCluster()).toHaveLength(1);
  await table().write(changeJob(task, record, { set: { ended: passed(), leaving: true } }));
  await handler({ task: "begin", ...event, taskToken: record.taskToken });
  await handler({ task: "finish", ...event });
  const finished = await findJob(event.ownerId, event.taskId, event.job);
  expect(finished).toMatchObject({ status: "passed" });
  expect(finished).not.toHaveProperty("leaving");
  expect(await jobsInCluster()).toEqual([]);
});

test("a deployment that is begun again goes on waiting, under the token of whoever began it last", async () => {
  const environment = { ...environmentBody("dev", "shop-dev"), services: [] };
  await slipway.call("POST", "/openapi/environments?projectKey=shop", { body: environment });
  await untilStatus(slipway, "shop", "dev", "succeeded");
  const service = { service_name: "web", yaml: deploymentYaml("web", "web:1") };
  await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body: service });
  const services = [{ service_name: "web", modules: [{ service_module: "main", image: "web:2" }] }];
  const spec = { env: "dev", deploy_contents: ["image", "vars"], services };
  const { record, event } = await runningJob("deploying", { type: "zadig-deploy", spec });
  await handler({ task: "begin", ...event, taskToken: "of the second" });
  expect(await waitsOf(localClusterId)).toMatchObject([{ waitId: tryName(record), taskToken: "of the second" }]);
  expect(await findDeploy(tryName(record))).toMatchObject({ plan: { name: "web" } });
});

test("a job that is begun again after the end of what it started does not leave a waiter there", async () => {
  await makeWorkflow("shop", { name: "inner", stages: [{ name: "only", jobs: [{ name: "long", ...endless }] }] });
  const spec = { is_enable_check: true, trigger_type: "fixed", fixed_workflow_list: [{ workflow_name: "inner" }] };
  const { task, record, event } = await runningJob("outer", { type: "workflow-trigger", spec });
  const inner = { ownerId: (await findTaskOwner("inner"))?.id ?? "", taskId: 1 };
  const tasks = tasksOf(slipway, "shop");
  expect((await tasks.cancel("inner", 1)).status).toBe(200);
  expect(await tasks.end("outer", 1)).toMatchObject({ status: "failed" });
  // Its end was not kept.
  await table().write(changeJob(task, record, { set: { status: "running" }, unset: ["ended"] }, ["failed"]));
  await handler({ task: "begin", ...event, taskToken: record.taskToken });
  expect((await findJob(event.ownerId, event.taskId, event.job))?.ended).toMatchObject({ ending: "failed" });
  expect(await findTask(inner.ownerId, 2)).toBeUndefined();
  expect(await taskWaiters(inner)).toEqual([]);
});
