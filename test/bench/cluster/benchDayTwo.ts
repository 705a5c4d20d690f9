import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { localClusterId, untilStatus } from "../../harness/boutique.ts";
import { recordClusterRequests } from "../../harness/clusterRequests.ts";
import { deploymentYaml } from "../../harness/manifests.ts";
import { type Slipway, startSlipway } from "../../harness/slipway.ts";
import { ask } from "../ask.ts";
import { median, number, sum, timed, times } from "../figures.ts";
import { printTable, progress } from "../report.ts";
import { quick } from "../settings.ts";
import { type Kubectl, unpackKubectl } from "./kubectl.ts";
import { loggedRequests } from "./kubectlDeployer.ts";
import { manifestOf } from "./manifest.ts";
import { openTestCluster, type TestCluster } from "./testCluster.ts";

const size = quick ? 20 : 200;
const rounds = quick ? 1 : 5;
const delays = quick ? [5] : [0, 5, 20];
const project = "day-two";
const environments = "/openapi/environments";

interface Look {
  milliseconds: number;
  requests: Readonly<Record<string, number>>;
}

/** What looking costs that writes nothing: previews and drift against `kubectl diff`, the detail of an environment. */
export async function benchDayTwo(): Promise<void> {
  const cluster = await openTestCluster();
  if (cluster === undefined) {
    console.log("\n## Day two\n\n**Skipped: KUBECONFIG names no cluster, so nothing was compared with kubectl.**");
    return;
  }
  const slipway = await startSlipway({ kubeconfig: cluster.kubeconfig.text });
  try {
    await deployed(slipway, cluster);
  } finally {
    await slipway.close();
    await cluster.setDelay(0);
    await cluster.removeNamespaces();
    await cluster.close();
  }
}

async function deployed(slipway: Slipway, cluster: TestCluster): Promise<void> {
  const body = { project_key: project, project_name: project, project_type: "yaml", is_public: false };
  await ask(slipway, "POST", "/openapi/projects/project", body);
  const service = (service_name: string, yaml: string) =>
    ask(slipway, "POST", `/openapi/service/yaml/raw?projectKey=${project}`, { service_name, yaml });
  const create = async (env_key: string, names: readonly string[]): Promise<string> => {
    const namespace = cluster.namespaceName();
    const services = names.map((service_name) => ({ service_name }));
    const wanted = { env_key, cluster_id: localClusterId, namespace, services };
    await ask(slipway, "POST", `${environments}?projectKey=${project}`, wanted);
    return namespace;
  };
  await service("bulk", manifestOf("first", size));
  const namespace = await create("bulk", ["bulk"]);
  await untilStatus(slipway, project, "bulk", "succeeded", 300);
  await cluster.settle(namespace, size / 2);

  const kubectl = await unpackKubectl();
  const rows = [
    ...(await compare(slipway, cluster, kubectl, namespace, "drift")),
    ...(await compare(slipway, cluster, kubectl, namespace, "preview, nothing differs")),
  ];
  const changed = { type: "k8s", yaml: manifestOf("changed", size) };
  await ask(slipway, "PUT", `/openapi/service/yaml/bulk?projectKey=${project}`, changed);
  rows.push(...(await compare(slipway, cluster, kubectl, namespace, "preview, every object differs")));
  const how =
    `${size} objects, half ConfigMaps and half Services; medians of ${rounds} alternating runs through one TCP proxy. ` +
    "Drift against `kubectl diff`, previews (`dryRun=true`) against `kubectl diff --server-side`.";
  const header = ["what", "round trip", "kubectl, ms", "API, ms", "kubectl ÷ API", "kubectl's requests", "ours"];
  printTable("Drift and previews against `kubectl diff`", how, header, rows);

  const names = Array.from({ length: size }, (_, at) => `small-${at}`);
  for (const name of names) await service(name, deploymentYaml(name, `reg.io/${name}:v1`));
  await create("many", names);
  await untilStatus(slipway, project, "many", "running", 300);
  const { requests } = await recordClusterRequests(cluster.authority, () => detail(slipway));
  const told = "Requests to the cluster for one answer; each service is a Deployment with its pods.";
  const counted = [[`${size} services`, listed(requests.verbs), String(sum(Object.values(requests.verbs)))]];
  printTable("Detail of an environment", told, ["environment", "requests", "together"], counted);
}

type What = "drift" | "preview, nothing differs" | "preview, every object differs";

async function compare(
  slipway: Slipway,
  cluster: TestCluster,
  kubectl: Kubectl,
  namespace: string,
  what: What,
): Promise<string[][]> {
  const file = join(cluster.folder, "looked-at.yaml");
  writeFileSync(file, manifestOf(what === "preview, every object differs" ? "changed" : "first", size));
  const diff = { kubeconfig: cluster.kubeconfig.file, namespace, file, serverSide: what !== "drift" };
  const theirs = async (): Promise<Look> => ({ ...(await timed(() => kubectl.diff(diff))), requests: {} });
  const ours = () => look(slipway, cluster, what);
  const rows: string[][] = [];
  await ours();
  for (const delay of delays) {
    progress(`${what}, ${delay} ms`);
    await cluster.setDelay(delay);
    const runs: { theirs: Look; ours: Look }[] = [];
    for (let round = 0; round < rounds; round++) runs.push({ theirs: await theirs(), ours: await ours() });
    const [a, b] = [
      median(runs.map((run) => run.theirs.milliseconds)),
      median(runs.map((run) => run.ours.milliseconds)),
    ];
    const logged = loggedRequests((await kubectl.diff({ ...diff, verbosity: 6 })).errors);
    const last = runs.at(-1)?.ours.requests ?? {};
    rows.push([what, `${delay} ms`, number(a), number(b), times(a / b), listed(logged), listed(last)]);
  }
  await cluster.setDelay(0);
  return rows;
}

async function look(slipway: Slipway, cluster: TestCluster, what: What): Promise<Look> {
  const startedAt = performance.now();
  const { result, requests } = await recordClusterRequests(cluster.authority, () =>
    what === "drift"
      ? slipway.call<Answered>("GET", `${environments}/bulk/drift?projectKey=${project}`)
      : slipway.call<Answered>("PUT", `${environments}/service/yaml?projectKey=${project}&dryRun=true`, {
          body: { env_key: "bulk", service_list: [{ service_name: "bulk" }] },
        }),
  );
  const milliseconds = performance.now() - startedAt;
  if (result.status !== 200) throw new Error(`${what}: ${result.text}`);
  checkAnswer(what, result.json);
  return { milliseconds, requests: requests.verbs };
}

interface Answered {
  in_sync?: boolean;
  objects: { action?: string }[];
}

/** A figure of a look that saw something else would mean nothing. */
function checkAnswer(what: What, { in_sync, objects }: Answered): void {
  const changes = objects.filter(({ action }) => action === "change").length;
  const wanted = what === "preview, every object differs" ? size : 0;
  if (what === "drift" ? in_sync !== true : objects.length !== size || changes !== wanted)
    throw new Error(`${what}: ${objects.length} objects, ${changes} changes, in_sync ${in_sync}`);
}

async function detail(slipway: Slipway): Promise<void> {
  const answer = await slipway.call("GET", `${environments}/many?projectKey=${project}`);
  if (answer.status !== 200) throw new Error(answer.text);
}

function listed(verbs: Readonly<Record<string, number>>): string {
  return Object.entries(verbs)
    .map(([verb, count]) => `${verb} ${count}`)
    .join(", ");
}
