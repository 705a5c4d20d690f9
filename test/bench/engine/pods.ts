import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { LiveObject } from "../../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../../shared/kube/client/connect.ts";
import type { OperatorKubeconfig } from "../../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { jobsNamespaceOf } from "../../../shared/kube/clusters/jobsNamespace.ts";
import { at } from "../../../shared/manifest/workloads.ts";
import { recordClusterRequests, verbOf } from "../../harness/clusterRequests.ts";
import { makeWorkflow } from "../../harness/tasks.ts";
import { median, number, percentile, sum } from "../figures.ts";
import { printTable, progress } from "../report.ts";
import { quick } from "../settings.ts";
import { type Bench, project, statusesWhenOver } from "./benchedWorkflow.ts";

const rounds = quick ? 2 : 15;
const jobs = ["first", "second"];
const workflow = "containers";

const freestyle = (name: string) => ({
  ...{ name, type: "freestyle" },
  spec: {
    ...{ runtime: { infrastructure: "kubernetes", build_os: "busybox:1" }, script_type: "shell", script: "true" },
  },
});

interface Pod {
  addedAt: number;
  endedAt?: number;
}

/** From the start call to the pod, and from a pod's end to the next job's pod, as a watch of somebody else sees it. */
export async function benchPods({ slipway, tasks }: Bench, operator: OperatorKubeconfig | undefined): Promise<void> {
  await makeWorkflow(project, { name: workflow, stages: [{ name: "run", jobs: jobs.map(freestyle) }] });
  const text = operator?.text ?? readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  const client = connect({ kind: "kubeconfig", text, trusted: true });
  const stop = new AbortController();
  const pods = new Map<string, Pod>();
  const watching = (async () => {
    const podKind = { apiVersion: "v1", kind: "Pod" };
    for await (const event of client.watch(podKind, { namespace: jobsNamespaceOf(project), signal: stop.signal }))
      if ("object" in event) note(pods, event.object);
  })();
  const samples = { toPod: [] as number[], podToPod: [] as number[] };
  const verbs: Record<string, number> = {};
  try {
    for (let round = -1; round < rounds; round++) {
      progress(round < 0 ? "pods: warming up" : `pods: round ${round + 1} of ${rounds}`);
      pods.clear();
      const startedAt = performance.now();
      const requests = await counted(operator, text, async () => {
        await statusesWhenOver(workflow, [await tasks.started(workflow, jobs)]);
      });
      const [first, second] = [...pods.values()];
      if (first?.endedAt === undefined || second === undefined) throw new Error("the pods of the jobs were not seen");
      if (round < 0) continue;
      samples.toPod.push(first.addedAt - startedAt);
      samples.podToPod.push(second.addedAt - first.endedAt);
      for (const [verb, count] of Object.entries(requests)) verbs[verb] = (verbs[verb] ?? 0) + count;
    }
  } finally {
    stop.abort();
    await watching;
    client.close();
  }
  const row = (what: string, of: readonly number[]) => [
    what,
    String(of.length),
    number(median(of)),
    number(percentile(of, 0.95)),
  ];
  const perJob = (count: number): string => number(count / (rounds * jobs.length), 1);
  const listed = Object.entries(verbs).map(([verb, count]) => `${verb} ${perJob(count)}`);
  const whose = operator === undefined ? "the sandbox cluster" : "the cluster of KUBECONFIG";
  const which = operator === undefined ? "everything that Slipway asks" : "those of the functions, not the watcher's";
  const how =
    `Tasks of two container jobs on ${whose}, by a watch of its pods. Requests to the cluster for one job (${which}): ` +
    `${perJob(sum(Object.values(verbs)))}: ${listed.join(", ")}.`;
  printTable(
    "From the call to the pod",
    how,
    ["from … to …", "samples", "p50, ms", "p95, ms"],
    [
      row("the start call to the first job's pod created", samples.toPod),
      row("the end of that pod to the next job's pod created", samples.podToPod),
    ],
  );
}

function note(pods: Map<string, Pod>, object: LiveObject): void {
  const { name } = object.metadata;
  const pod = pods.get(name) ?? { addedAt: performance.now() };
  pods.set(name, pod);
  const phase = at(object, ["status", "phase"]);
  if (phase === "Succeeded" || phase === "Failed") pod.endedAt ??= performance.now();
}

/** Requests by their verbs: at the sandbox as it receives them, from all threads; else what the functions send. */
async function counted(
  operator: OperatorKubeconfig | undefined,
  kubeconfig: string,
  work: () => Promise<void>,
): Promise<Readonly<Record<string, number>>> {
  if (operator !== undefined) return (await recordClusterRequests(new URL(operator.server).host, work)).requests.verbs;
  const port = Number(/server: https:\/\/[^:\s]+:(\d+)/.exec(kubeconfig)?.[1]);
  const verbs: Record<string, number> = {};
  const receive = (message: unknown): void => {
    const { request } = message as { request: IncomingMessage };
    if (request.socket.localPort !== port) return;
    const verb = verbOf(request.method ?? "", request.url ?? "");
    verbs[verb] = (verbs[verb] ?? 0) + 1;
  };
  subscribe("http.server.request.start", receive);
  try {
    await work();
  } finally {
    unsubscribe("http.server.request.start", receive);
  }
  return verbs;
}
