import { startSlipway } from "../../harness/slipway.ts";
import { median, number, percent, rotated, sum, times } from "../figures.ts";
import { atLeast, atMost, judged, printTable, progress } from "../report.ts";
import { quick } from "../settings.ts";
import { apiDeployer } from "./apiDeployer.ts";
import type { Deployed, Deployer, Kind } from "./deployer.ts";
import { kinds } from "./deployer.ts";
import { engineDeployer } from "./engineDeployer.ts";
import { type Kubectl, unpackKubectl } from "./kubectl.ts";
import { kubectlDeployer } from "./kubectlDeployer.ts";
import { manifestOf } from "./manifest.ts";
import { openTestCluster, type TestCluster } from "./testCluster.ts";

const sizes = quick ? [20] : [50, 200];
const delays = quick ? [5] : [0, 5, 20];
const rounds = quick ? 1 : 5;

const labels: Readonly<Record<Kind, string>> = {
  first: "first",
  changed: "changed, every object",
  tenth: "changed, one object in ten",
  unchanged: "unchanged",
};

/** Times that kubectl takes as long as we do, at 200 objects, by round trip (the API server shares the cores). */
const goals: Readonly<Record<number, Partial<Record<Kind, number>>>> = {
  5: { first: 2.5, changed: 5 },
  20: { first: 7, changed: 10 },
};
const goalSize = 200;
const maxUnchangedShare = 0.1;

/** Everything that deployers did at one size and round trip. */
interface Cell {
  size: number;
  delay: number;
  runs: Map<string, Map<Kind, Deployed[]>>;
}

export async function benchCluster(): Promise<void> {
  const cluster = await openTestCluster();
  if (cluster === undefined) {
    console.log("\n## Deploys\n\n**Skipped: KUBECONFIG names no cluster, so nothing was compared with kubectl.**");
    return;
  }
  const slipway = await startSlipway({ kubeconfig: cluster.kubeconfig.text });
  try {
    const kubectl = await unpackKubectl();
    const deployers = [kubectlDeployer(kubectl, cluster), engineDeployer(cluster), await apiDeployer(slipway, cluster)];
    // Discovery is cached and code is compiled before anything counts.
    await sequence(cluster, deployers, kinds, 10, () => undefined);
    const cells: Cell[] = [];
    for (const size of sizes) for (const delay of delays) cells.push(await measure(cluster, deployers, size, delay));
    await cluster.setDelay(0);
    printTimes(cells, kubectl.version);
    printRequests(cells, await countKubectl(kubectl, cluster));
  } finally {
    await slipway.close();
    await cluster.setDelay(0);
    await cluster.removeNamespaces();
    await cluster.close();
  }
}

async function measure(
  cluster: TestCluster,
  deployers: readonly Deployer[],
  size: number,
  delay: number,
): Promise<Cell> {
  await cluster.setDelay(delay);
  const runs: Cell["runs"] = new Map(deployers.map(({ name }) => [name, new Map(kinds.map((kind) => [kind, []]))]));
  for (let round = 0; round < rounds; round++) {
    progress(`${size} objects, ${delay} ms, round ${round + 1} of ${rounds}`);
    await sequence(cluster, rotated(deployers, round), kinds, size, (name, kind, deployed) =>
      runs.get(name)?.get(kind)?.push(deployed),
    );
  }
  await cluster.setDelay(0);
  await cluster.removeNamespaces();
  return { size, delay, runs };
}

/** Every deployer in a namespace of its own, kind by kind in turn, each on a cluster that has come to rest. */
async function sequence(
  cluster: TestCluster,
  deployers: readonly Deployer[],
  asked: readonly Kind[],
  size: number,
  note: (name: string, kind: Kind, deployed: Deployed) => void,
): Promise<void> {
  const begun = [];
  for (const { name, begin } of deployers) {
    const namespace = cluster.namespaceName();
    begun.push({ name, namespace, sequence: await begin(namespace) });
  }
  for (const kind of asked)
    for (const { name, namespace, sequence } of begun) {
      note(name, kind, await sequence.deploy(kind, manifestOf(kind, size)));
      await cluster.settle(namespace, size / 2);
    }
}

function middle(cell: Cell, name: string, kind: Kind): number {
  return median((cell.runs.get(name)?.get(kind) ?? []).map(({ milliseconds }) => milliseconds));
}

function printTimes(cells: readonly Cell[], version: string): void {
  const rows = cells.flatMap((cell) =>
    kinds.flatMap((kind) => {
      const theirs = middle(cell, "kubectl", kind);
      const engine = theirs / middle(cell, "engine", kind);
      const api = theirs / middle(cell, "API", kind);
      const wanted = cell.size === goalSize ? goals[cell.delay]?.[kind] : undefined;
      const goal = wanted === undefined ? undefined : atLeast(engine, wanted, times);
      return [
        [
          String(cell.size),
          `${cell.delay} ms`,
          labels[kind],
          number(theirs),
          number(middle(cell, "engine", kind)),
          times(engine),
          number(middle(cell, "API", kind)),
          times(api),
          ...judged(goal),
        ],
      ];
    }),
  );
  const header = [
    "objects",
    "round trip",
    "deploy",
    `kubectl ${version}, ms`,
    "engine, ms",
    "kubectl ÷ engine",
    "API, ms",
    "kubectl ÷ API",
    "goal (engine)",
    "verdict",
  ];
  const how =
    `Medians of ${rounds} alternating runs; half ConfigMaps, half Services; through one TCP proxy that lengthens the ` +
    "round trip. Engine: from the text to the last object, with a new connection. API: from the call of add or update " +
    "services to the last object applied, state machine and store included.";
  printTable("Deploys against `kubectl apply --server-side`", how, header, rows);
}

function totalOf(verbs: Readonly<Record<string, number>> = {}): number {
  return sum(Object.values(verbs));
}

/** Counted in a run of its own, because logging takes time. */
async function countKubectl(kubectl: Kubectl, cluster: TestCluster): Promise<Map<Kind, Deployed>> {
  const counted = new Map<Kind, Deployed>();
  const size = sizes.at(-1) ?? goalSize;
  await sequence(cluster, [kubectlDeployer(kubectl, cluster, { counting: true })], kinds, size, (_, kind, deployed) =>
    counted.set(kind, deployed),
  );
  return counted;
}

function printRequests(cells: readonly Cell[], kubectl: ReadonlyMap<Kind, Deployed>): void {
  const last = cells.at(-1);
  const ours = (name: string) => (kind: Kind) => last?.runs.get(name)?.get(kind)?.at(-1);
  const rows = ["kubectl", "engine", "API"].flatMap((name) => {
    const of = name === "kubectl" ? (kind: Kind) => kubectl.get(kind) : ours(name);
    const first = totalOf(of("first")?.requests);
    return kinds.map((kind) => {
      const verbs = of(kind)?.requests ?? {};
      const share = totalOf(verbs) / first;
      const goal = name !== "kubectl" && kind === "unchanged" ? atMost(share, maxUnchangedShare, percent) : undefined;
      const listed = Object.entries(verbs).map(([verb, count]) => `${verb} ${count}`);
      return [name, labels[kind], listed.join(", "), String(totalOf(verbs)), percent(share), ...judged(goal)];
    });
  });
  const header = ["who", "deploy", "requests to the cluster", "together", "share of the first", "goal", "verdict"];
  printTable(`Requests of a deploy of ${last?.size ?? 0} objects`, "Counted on the wire, by verb.", header, rows);
}
