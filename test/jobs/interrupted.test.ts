import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { handler } from "../../functions/engine/job/handler.ts";
import type { ClusterClient } from "../../shared/clients/kubernetes/ClusterClient.ts";
import { connect } from "../../shared/clients/kubernetes/connect.ts";
import { passed } from "../../shared/jobs/runner.ts";
import { changeTask } from "../../shared/store/tasks/changeTask.ts";
import { findJob, findTask } from "../../shared/store/tasks/findTasks.ts";
import { changeJob } from "../../shared/store/tasks/records.ts";
import { findTaskOwner } from "../../shared/store/tasks/taskHeads.ts";
import { table } from "../../shared/store/theTable.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { makeWorkflow, tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 60_000 });

let slipway: Slipway;
let cluster: ClusterClient;

beforeAll(async () => {
  slipway = await startSlipway();
  cluster = connect({
    kind: "kubeconfig",
    text: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8"),
    trusted: true,
  });
  await slipway.call("POST", "/openapi/projects/project", {
    body: { project_name: "shop", project_key: "shop", project_type: "yaml" },
  });
});

afterAll(async () => {
  cluster.close();
  await slipway.close();
});

/** A task whose only job runs a script that does not end. */
async function runningJob(workflow: string) {
  const tasks = tasksOf(slipway, "shop");
  const runtime = { infrastructure: "kubernetes", build_os: "ubuntu 20.04" };
  const job = { name: "long", type: "freestyle", spec: { runtime, script_type: "shell", script: "sleep 3600" } };
  await makeWorkflow("shop", { name: workflow, stages: [{ name: "only", jobs: [job] }] });
  const taskId = await tasks.started(workflow, ["long"]);
  await tasks.until(workflow, taskId, "running", ({ stages }) => stages[0]?.jobs[0]?.status === "running");
  const ownerId = (await findTaskOwner(workflow))?.id ?? "";
  const [task, record] = [await findTask(ownerId, taskId), await findJob(ownerId, taskId, "job-0-0-0-long")];
  if (task === undefined || record === undefined) throw new Error("the task is not there");
  return { task, record, event: { ownerId, taskId, job: record.name } };
}

async function jobsInCluster(): Promise<string[]> {
  const { items } = await cluster.list({ apiVersion: "batch/v1", kind: "Job" }, { namespace: "slipway-jobs" });
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
