import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import { overwrite } from "../../shared/base/store/writes.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { jobsNamespaceOf } from "../../shared/kube/clusters/jobsNamespace.ts";
import { findWholeTask } from "../../shared/workflows/records/findTasks.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { recordClusterRequests } from "../harness/clusterRequests.ts";
import { newPerson } from "../harness/people.ts";
import type { Slipway } from "../harness/slipway.ts";
import { makeWorkflow, startShop, tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const longKey = "warehouse-of-everything-that-the-shop-has-ever-sold-to-anybody";

let slipway: Slipway;
let cluster: ClusterClient;
let authority: string;

beforeAll(async () => {
  ({ slipway } = await startShop({ podDelayMilliseconds: 0 }));
  for (const key of ["stock", longKey]) {
    const body = { project_name: key, project_key: key, project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
  }
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  authority = new URL(/server: (\S+)/.exec(text)?.[1] ?? "").host;
  cluster = connect({ kind: "kubeconfig", text, trusted: true });
});

afterAll(async () => {
  cluster?.close();
  await slipway?.close();
});

const storage = { provision_type: "dynamic", mount_path: "/cache", storage_class: "", storage_size_in_gib: 1 };
const job = (script: string, more: object = {}) => ({
  ...{ name: "work", type: "freestyle" },
  spec: {
    ...{ runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" }, script_type: "shell", script },
    ...more,
  },
});

async function inNamespace(kind: string, namespace: string): Promise<string[]> {
  const apiVersion = kind === "Job" ? "batch/v1" : "v1";
  const { items } = await cluster.list({ apiVersion, kind }, { namespace });
  return items.map(({ metadata }) => metadata.name);
}

test("jobs of two projects run in namespaces of their own, with volumes, Secrets and logs of their own", async () => {
  const kept = { advanced_setting: { storages: { enabled: true, storages_properties: [storage] } } };
  const names = ["shop", "stock", longKey].map((project, at) => ({ project, workflow: `places-${at}` }));
  for (const { project, workflow } of names)
    await makeWorkflow(project, {
      name: workflow,
      stages: [{ name: "only", jobs: [job(`echo ${workflow}; sleep 4`, kept)] }],
    });
  await Promise.all(
    names.map(async ({ project, workflow }) => {
      const tasks = tasksOf(slipway, project);
      const id = await tasks.started(workflow, ["work"]);
      const namespace = jobsNamespaceOf(project);
      const [pod = ""] = await waitFor("the pod", async () => {
        const pods = await inNamespace("Pod", namespace);
        return pods.length === 1 && pods;
      });
      expect(pod).toMatch(new RegExp(`^${workflow}-1-`));
      expect(await inNamespace("Secret", namespace)).toEqual([expect.stringContaining(`${workflow}-1-`)]);
      expect(await inNamespace("PersistentVolumeClaim", namespace)).toEqual([expect.stringContaining("slipway-")]);
      const live = await slipway.call("GET", `/openapi/logs/sse/v4/workflow/${workflow}/${id}/job-0-0-0-work/50`);
      expect(live.text).toContain(workflow);
      expect((await tasks.end(workflow, id)).status).toBe("passed");
      const stored = await slipway.call("GET", `/openapi/logs/log/v4/workflow/${workflow}/${id}/job-0-0-0-work`);
      expect(stored.text).toBe(`${workflow}\n`);
      expect(await inNamespace("Job", namespace)).toEqual([]);
    }),
  );
  await expect(inNamespace("Pod", "slipway-jobs")).resolves.toEqual([]);
  await expect(cluster.get({ apiVersion: "v1", kind: "Namespace", name: "slipway-jobs" })).rejects.toThrow();
});

test("only the first job of a project makes its namespace, and none asks for it", async () => {
  const body = { project_name: "fresh", project_key: "fresh", project_type: "yaml" };
  await slipway.call("POST", "/openapi/projects/project", { body });
  await makeWorkflow("fresh", { name: "counted", stages: [{ name: "only", jobs: [job("true")] }] });
  const tasks = tasksOf(slipway, "fresh");
  const run = async () => {
    const { requests } = await recordClusterRequests(authority, async () => {
      const id = await tasks.started("counted", ["work"]);
      expect((await tasks.end("counted", id)).status).toBe("passed");
    });
    return requests.verbs.create;
  };
  // The Job, refused, its namespace, the Job again and its Secret; later the Job and its Secret.
  expect([await run(), await run()]).toEqual([4, 2]);
});

test("a task that an earlier version planned ends where all jobs ran then", async () => {
  const asked = await newPerson("asked", [{ namespace: "shop", roles: { "project-admin": [] } }]);
  const approval = {
    ...{ enabled: true, type: "native" },
    native_approval: { needed_approvers: 1, approve_users: [{ user_id: asked.uid, user_name: "asked" }] },
  };
  await makeWorkflow("shop", {
    name: "older",
    stages: [{ name: "only", approval, jobs: [job("echo here; sleep 3")] }],
  });
  const tasks = tasksOf(slipway, "shop");
  const id = await tasks.started("older", ["work"]);
  await forgetPlaces("older", id);
  expect((await tasks.approve("older", id, "only", true, asked.token)).status).toBe(200);
  await waitFor("its pod", async () => (await inNamespace("Pod", "slipway-jobs")).length === 1);
  expect((await tasks.end("older", id)).status).toBe("passed");
  expect(await inNamespace("Job", "slipway-jobs")).toEqual([]);
  const log = await slipway.call("GET", `/openapi/logs/log/v4/workflow/older/${id}/job-0-0-0-work`);
  expect(log.text).toBe("here\n");
});

/** The plan as it was before it told of places. */
async function forgetPlaces(workflow: string, taskId: number): Promise<void> {
  const ownerId = (await findTaskOwner(workflow))?.id ?? "";
  const whole = await findWholeTask(ownerId, taskId);
  const { pk } = keys.task(ownerId, taskId);
  const stored = (await table().query<object>({ pk })).find(({ type }) => type === "task-plan");
  if (whole === undefined || stored === undefined) throw new Error("the task is not there");
  for (const { jobs } of whole.plan.stages)
    for (const { run } of jobs) delete (run as { settings: { namespace?: string } }).settings.namespace;
  const { version: _, ...item } = stored;
  await table().write(overwrite({ ...item, plan: { inline: JSON.stringify(whole.plan) } }));
}
