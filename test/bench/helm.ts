import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { workers } from "../../infra/aws/functions/workers.ts";
import { detailOf } from "../harness/boutique.ts";
import { type HelmCommand, helmCommand, makeChartEnvironment } from "../harness/chartProject.ts";
import { recordClusterRequests } from "../harness/clusterRequests.ts";
import { packedChart } from "../harness/packedChart.ts";
import { podinfo } from "../harness/podinfo.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { bundled } from "../infra/aws/bundled.ts";
import { ask } from "./ask.ts";
import { loadTime } from "./bundles.ts";
import { concluded } from "./cluster/concluded.ts";
import { openTestCluster, type TestCluster } from "./cluster/testCluster.ts";
import { median, number, timed, times } from "./figures.ts";
import { atLeast, judged, printTable, progress } from "./report.ts";
import { quick } from "./settings.ts";

const project = "bench";
const count = quick ? 3 : 20;
const delays = quick ? [5] : [0, 5, 20];
const rounds = quick ? 1 : 3;
const starts = quick ? 1 : 7;
const names = Array.from({ length: count }, (_, at) => `podinfo-${at + 1}`);

/** In this order: no release stands; the values of each differ; they do not, seen before they are deployed; they do not. */
const kinds = ["first", "preview", "changed", "unchanged"] as const;
type Kind = (typeof kinds)[number];

const valuesOf = (kind: Kind): string => `ui: {message: ${kind === "first" ? "one" : "two"}}\n`;
const labels: Readonly<Record<Kind, string>> = {
  ...{ first: "first", preview: "preview of the change", changed: "changed", unchanged: "unchanged" },
};

/** Times that the command takes as long as we do, by round trip; unchanged releases are not upgraded. */
const goals: Readonly<Record<number, number>> = { 0: 1.5, 5: 2, 20: 3 };
const goalUnchanged = 10;

/** What brings all releases into a namespace, and milliseconds that it took. */
type Bring = (kind: Kind) => Promise<number>;

/** Releases of one chart, deployed together, against the helm command that deploys one after another. */
export async function benchHelm(): Promise<void> {
  const cluster = await openTestCluster();
  if (cluster === undefined) {
    console.log("\n## Charts\n\n**Skipped: KUBECONFIG names no cluster, so nothing was compared with helm.**");
    return;
  }
  const slipway = await startSlipway({ kubeconfig: cluster.kubeconfig.text });
  const command = helmCommand(cluster.kubeconfig.text);
  const chart = join(cluster.folder, "chart.tgz");
  writeFileSync(chart, await packedChart(podinfo(), "podinfo"));
  try {
    await defineServices(slipway);
    const rows: string[][] = [];
    for (const delay of delays) rows.push(...(await measure(cluster, slipway, command, chart, delay)));
    const how =
      `${count} releases of podinfo, medians of ${rounds} rounds, through one TCP proxy that lengthens the round trip. ` +
      "helm: `helm upgrade --install --server-side=true --force-conflicts` for one after another (its preview with " +
      "`--dry-run=server`). Slipway: from the call to the last object and Helm's last record; the preview tells what " +
      "would become of each object, which helm's does not.";
    const header = ["round trip", "deploy", "helm, ms", "Slipway, ms", "helm ÷ Slipway", "goal", "verdict"];
    printTable("Charts against `helm upgrade --install`", how, header, rows);
    await printStarts(command);
  } finally {
    await slipway.close();
    await cluster.setDelay(0);
    await cluster.removeNamespaces();
    command.close();
    await cluster.close();
  }
}

async function measure(
  cluster: TestCluster,
  slipway: Slipway,
  command: HelmCommand,
  chart: string,
  delay: number,
): Promise<string[][]> {
  const taken = { helm: new Map<Kind, number[]>(), slipway: new Map<Kind, number[]>() };
  for (let round = 0; round < rounds; round++) {
    progress(`${count} charts, ${delay} ms, round ${round + 1} of ${rounds}`);
    await cluster.setDelay(0);
    const theirs = { namespace: cluster.namespaceName(), taken: taken.helm };
    const ours = { namespace: cluster.namespaceName(), taken: taken.slipway };
    await cluster.makeNamespace(theirs.namespace);
    const both = [
      { ...theirs, bring: byHelm(cluster, command, theirs.namespace, chart) },
      { ...ours, bring: await bySlipway(cluster, slipway, `env-${delay}-${round}`, ours.namespace) },
    ];
    await cluster.setDelay(delay);
    for (const kind of kinds)
      for (const { namespace, taken, bring } of round % 2 === 0 ? both : both.toReversed()) {
        taken.set(kind, [...(taken.get(kind) ?? []), await bring(kind)]);
        await cluster.settle(namespace, kind === "preview" ? 0 : count);
      }
    await mustHaveRevisions(command, theirs.namespace, "3");
    await mustHaveRevisions(command, ours.namespace, "2");
    await cluster.setDelay(0);
    await cluster.removeNamespaces();
  }
  return kinds.map((kind) => {
    const [helm, own] = [median(taken.helm.get(kind) ?? []), median(taken.slipway.get(kind) ?? [])];
    const goal = kind === "unchanged" ? goalUnchanged : kind === "preview" ? undefined : goals[delay];
    const verdict = judged(goal === undefined ? undefined : atLeast(helm / own, goal, times));
    return [`${delay} ms`, labels[kind], number(helm), number(own), times(helm / own), ...verdict];
  });
}

function byHelm(cluster: TestCluster, command: HelmCommand, namespace: string, chart: string): Bring {
  const values = join(cluster.folder, "values.yaml");
  return async (kind) => {
    writeFileSync(values, valuesOf(kind));
    const options = ["--server-side=true", "--force-conflicts", "--values", values];
    const preview = kind === "preview" ? ["--dry-run=server"] : [];
    const all = async () => {
      for (const name of names)
        await command.run(namespace, "upgrade", "--install", name, chart, ...options, ...preview);
    };
    return (await timed(all)).milliseconds;
  };
}

async function bySlipway(cluster: TestCluster, slipway: Slipway, envKey: string, namespace: string): Promise<Bring> {
  await makeChartEnvironment(slipway, project, { env_name: envKey, namespace });
  await concluded(project, envKey);
  return async (kind) => {
    const services = names.map((service_name) => ({ service_name, values_yaml: valuesOf(kind) }));
    const path = `/openapi/environments/helm/${envKey}/services?projectKey=${project}`;
    if (kind === "preview")
      return (await timed(() => ask(slipway, "POST", `${path}&dryRun=true`, { services }))).milliseconds;
    const startedAt = performance.now();
    const { requests } = await recordClusterRequests(cluster.authority, async () => {
      await ask(slipway, "POST", path, { services });
      await concluded(project, envKey);
    });
    // Of unchanged releases nothing may be left to ask.
    const endedAt = Math.max(requests.lastEndedAt, startedAt);
    const { services: standing } = await detailOf(slipway, project, envKey);
    const broken = standing.find(({ error }) => error !== "");
    if (broken !== undefined || standing.length !== count) throw new Error(`${kind}: ${JSON.stringify(broken)}`);
    return endedAt - startedAt;
  };
}

/** What `helm list` says of every release. @throws Error unless all of them have that revision */
async function mustHaveRevisions(command: HelmCommand, namespace: string, revision: string): Promise<void> {
  const releases: { revision: string; status: string }[] = JSON.parse(
    await command.run(namespace, "list", "-o", "json"),
  );
  const right = releases.filter((release) => release.revision === revision && release.status === "deployed");
  if (right.length !== count)
    throw new Error(`${right.length} of ${count} releases stand at revision ${revision}: ${JSON.stringify(releases)}`);
}

/** What a first call waits for beside the work itself. */
async function printStarts(command: HelmCommand): Promise<void> {
  const bundle = bundled(workers.helm.entry);
  try {
    const taken = { bundle: [] as number[], helm: [] as number[] };
    for (let round = 0; round < starts; round++) {
      taken.bundle.push(await loadTime(join(bundle.directory, "index.mjs")));
      taken.helm.push((await timed(() => command.run("default", "version", "--short"))).milliseconds);
    }
    const rows = [
      ["its code, loaded", number(median(taken.bundle))],
      ["the program, started", number(median(taken.helm))],
    ];
    const how = `Medians of ${starts} new processes on this machine; what Lambda adds cannot be measured here.`;
    printTable("Cold start of Helm's worker", how, ["what", "ms"], rows);
  } finally {
    bundle.remove();
  }
}

async function defineServices(slipway: Slipway): Promise<void> {
  await ask(slipway, "POST", "/openapi/projects/project", {
    ...{ project_name: project, project_key: project, project_type: "helm", is_public: false },
  });
  await ask(slipway, "POST", "/api/aslan/template/charts", { name: "podinfo", source: "upload" });
  const content = (await packedChart(podinfo(), "podinfo")).toString("base64");
  await ask(slipway, "POST", "/api/aslan/template/charts/podinfo/upload", { content });
  for (const service_name of names)
    await ask(slipway, "POST", `/openapi/service/template/load/helm?projectKey=${project}`, {
      ...{ service_name, template_name: "podinfo" },
    });
}
