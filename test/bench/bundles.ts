import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { groups } from "../../functions/api/groups.ts";
import { root } from "../../infra/aws/functions/bundle.ts";
import { groupFunction } from "../../infra/aws/functions/functions.ts";
import { workers } from "../../infra/aws/functions/workers.ts";
import { bundled } from "../infra/aws/bundled.ts";
import { median, number, rotated, times } from "./figures.ts";
import { atMost, judged, printTable, progress } from "./report.ts";
import { quick } from "./settings.ts";

const rounds = quick ? 1 : 7;
const kilobytes = (bytes: number): number => bytes / 1024;

/** Measures of decisions 4.3, in KB. */
const most = { own: 250, shipped: 700, withCluster: 2.2 * 1024 };

const functions = [
  ...groups.map((group) => ({ ...groupFunction(group), reachesCluster: group.reachesCluster })),
  ...Object.values(workers).map((worker) => ({ ...worker, reachesCluster: true })),
];

/** Handlers that stream ask Lambda's runtime for its wrapper while they are loaded. */
const loader = `
  globalThis.awslambda = { streamifyResponse: (handler) => handler };
  const startedAt = performance.now();
  await import(process.argv[1]);
  console.log(performance.now() - startedAt);
  process.exit();
`;

/** Milliseconds until a new process has loaded a module, beyond the start of Node itself. */
export async function loadTime(file: string): Promise<number> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", loader, file], {
    env: { PATH: process.env.PATH, AWS_REGION: "us-east-1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${file} cannot be loaded`);
  return Number(output);
}

export async function benchBundles(): Promise<void> {
  const rows: string[][] = [];
  for (const { name, entry, reachesCluster } of quick ? functions.filter(({ name }) => name === "logs") : functions) {
    progress(`bundle of ${name}`);
    const bundle = bundled(entry);
    try {
      const files = { bundle: join(bundle.directory, "index.mjs"), source: join(root, entry) };
      const loaded: Record<keyof typeof files, number[]> = { bundle: [], source: [] };
      for (let round = 0; round < rounds; round++)
        for (const kind of rotated(["bundle", "source"] as const, round))
          loaded[kind].push(await loadTime(files[kind]));
      const [own, shipped] = [kilobytes(bundle.ownBytes), kilobytes(bundle.shippedBytes)];
      const whole = (value: number): string => number(value);
      rows.push([
        name,
        whole(own),
        ...judged(reachesCluster ? undefined : atMost(own, most.own, whole)),
        whole(shipped),
        ...judged(atMost(shipped, reachesCluster ? most.withCluster : most.shipped, whole)),
        whole(median(loaded.bundle)),
        whole(median(loaded.source)),
        times(median(loaded.source) / median(loaded.bundle)),
      ]);
    } finally {
      bundle.remove();
    }
  }
  const header = [
    "function",
    "own KB",
    "goal",
    "verdict",
    "shipped KB",
    "goal",
    "verdict",
    "init, ms",
    "unbundled, ms",
    "ratio",
  ];
  const how =
    "Own: without the AWS SDK. Init: a new Node process imports the shipped file, or the same handler from its source " +
    `with node_modules; without the start of Node, medians of ${rounds} alternating runs.`;
  printTable("Bundles", how, header, rows);
}
