import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { handler as clusterWatcher } from "../../functions/triggers/cluster-watcher/handler.ts";
import { handler as reconciler } from "../../functions/triggers/reconciler/handler.ts";
import { objectsPath } from "../../infra/local/aws/objects/signedAddresses.ts";
import { startAdapters } from "../../infra/local/aws/start.ts";
import { startSandbox } from "../../infra/local/cluster/start.ts";
import { startGateway } from "../../infra/local/gateway.ts";
import { ensureReconcilerSchedule } from "../../infra/local/runtime.ts";
import { startTable } from "../../infra/local/table/startTable.ts";
import { startExecution } from "../../shared/base/aws/states/stateMachines.ts";
import { textOfPieces, timedLines } from "../../shared/base/common/timedLines.ts";
import { removeConfig } from "../../shared/base/settings/config.ts";
import { newId, nowSeconds } from "../../shared/base/store/ids.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { jobsNamespace } from "../../shared/kube/clusters/jobsNamespace.ts";
import { openCluster, removeCachedCluster } from "../../shared/kube/clusters/openCluster.ts";
import { seedLocalCluster } from "../../shared/kube/clusters/seedLocalCluster.ts";
import { localClusterId } from "../../shared/kube/clusters/store/clusters.ts";
import { awaitContainerJob } from "../../shared/workflows/jobs/container/containerRunner.ts";
import { containerJobName } from "../../shared/workflows/pods/names.ts";
import { readContainerLog } from "../../shared/workflows/pods/readContainerLog.ts";
import type { ContainerJob, ContainerJobRef, ContainerStep } from "../../shared/workflows/pods/rules/containerJob.ts";
import { startContainerJob } from "../../shared/workflows/pods/startContainerJob.ts";
import { givenTable } from "./givenTable.ts";
import { waitFor } from "./waitFor.ts";

const awaitMachine = {
  StartAt: "Await",
  States: {
    Await: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke.waitForTaskToken",
      Parameters: { FunctionName: "await", Payload: { "wait.$": "$", "taskToken.$": "$$.Task.Token" } },
      ResultPath: null,
      End: true,
    },
  },
};

/** What runs jobs in containers, with a state machine that waits for one: everything but tasks and HTTP. */
export interface JobHarness {
  client: ClusterClient;
  /** A job of these steps with names of its own. */
  job(steps: readonly ContainerStep[], changes?: Partial<ContainerJob>): ContainerJob;
  start(job: ContainerJob): Promise<ContainerJobRef>;
  /** Waits by a task token until the watcher settles it. */
  ended(ref: ContainerJobRef, deadline?: number): Promise<void>;
  /** Starts waiting and does not wait for the end; tells whether the state machine went on. */
  awaited(ref: ContainerJobRef, deadline?: number): Promise<() => Promise<boolean>>;
  reconcile(): Promise<void>;
  /** While off, watchers that are woken do nothing; those that still run have ended when it is off. */
  setWatching(isOn: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface JobHarnessOptions {
  /** The sandbox when absent. */
  kubeconfig?: string;
  settings?: Readonly<Record<string, string>>;
}

export async function startJobHarness(options: JobHarnessOptions = {}): Promise<JobHarness> {
  const dataDir = mkdtempSync(join(tmpdir(), "slipway-jobs-"));
  process.env.SLIPWAY_LOG_FILE = join(dataDir, "log.ndjson");
  const table = givenTable(dataDir);
  const started = await startTable({ dataDir, ...table });
  const state = { watching: true, watchers: [] as Promise<unknown>[] };
  const aws = startAdapters({
    dataDir: join(dataDir, "aws"),
    functions: {
      "cluster-watcher": async (event) => {
        if (!state.watching) return undefined;
        const run = clusterWatcher(event);
        state.watchers.push(run);
        return run;
      },
      reconciler,
      await: async (event) => {
        const { wait, taskToken } = event as { wait: ContainerJobRef & { deadline: number }; taskToken: string };
        await awaitContainerJob({ ...wait, taskToken });
      },
    },
    stateMachines: { await: awaitMachine },
  });
  Object.assign(process.env, options.settings);
  removeConfig();
  const sandbox =
    options.kubeconfig === undefined ? await startSandbox({ dataDir: join(dataDir, "sandbox") }) : undefined;
  await seedLocalCluster(options.kubeconfig ?? sandbox?.kubeconfig ?? "");
  ensureReconcilerSchedule(aws.scheduler);
  const raw = { path: objectsPath, answer: aws.answerObject };
  const gateway = await startGateway({ port: 0, groups: [], raw });
  aws.serveObjectsAt(gateway.url);
  const { client } = await openCluster(localClusterId);

  const awaited = async (ref: ContainerJobRef, deadline = nowSeconds() + 120) => {
    const name = newId();
    await startExecution("await", name, { ...ref, deadline });
    return async () => {
      const { status, cause } = aws.executions.get("await", name) ?? {};
      if (status === "FAILED") throw new Error(cause);
      return status === "SUCCEEDED";
    };
  };

  return {
    client,
    job: jobOf,
    async start(job) {
      await startContainerJob(job);
      const { clusterId, namespace, name, jobRecordId } = job;
      return { clusterId, namespace, name, jobRecordId };
    },
    awaited,
    ended: async (ref, deadline) => {
      const isOver = await awaited(ref, deadline);
      await waitFor(`the end of ${ref.name}`, isOver, 100);
    },
    reconcile: async () => {
      await reconciler();
    },
    setWatching: async (isOn) => {
      state.watching = isOn;
      if (!isOn) await Promise.allSettled(state.watchers);
    },
    async close() {
      removeCachedCluster(localClusterId);
      await gateway.close();
      await aws.close();
      await sandbox?.close();
      await table.remove();
      started.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function jobOf(steps: readonly ContainerStep[], changes: Partial<ContainerJob> = {}): ContainerJob {
  const jobRecordId = newId();
  return {
    jobRecordId,
    name: containerJobName({ workflowKey: "Ship_it", taskId: 7, jobRecordId, attempt: 1 }),
    clusterId: localClusterId,
    namespace: jobsNamespace(),
    jobTaskName: "build",
    jobType: "zadig-build",
    steps,
    env: [],
    secretEnv: [],
    masks: [],
    outputs: [],
    timeoutMinutes: 10,
    resources: { gpuLimit: "" },
    placement: { nodeLabels: [], strategy: "normal", tolerations: [] },
    labels: {},
    annotations: {},
    volumes: [],
    ignoreCache: false,
    privileged: false,
    hostDocker: false,
    registries: [],
    ...changes,
  };
}

/** A step that runs a script in an image that has nothing but a shell. */
export function script(text: string, name = "script"): ContainerStep {
  return { kind: "script", name, image: "busybox:1", script: text, packages: [] };
}

export async function textOf(log: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of log) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** A stored log as it is shown. */
export const storedText = (objectKey: string): Promise<string> =>
  textOf(textOfPieces(timedLines(readContainerLog(objectKey))));
