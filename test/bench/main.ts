import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { benchBundles } from "./bundles.ts";
import { benchCluster } from "./cluster/benchCluster.ts";
import { benchDayTwo } from "./cluster/benchDayTwo.ts";
import { benchConsole } from "./console.ts";
import { benchCopies } from "./copies.ts";
import { benchEngine } from "./engine/benchEngine.ts";
import { benchHelm } from "./helm.ts";
import { describeMachine } from "./machine.ts";
import { benchPages } from "./pages.ts";
import { benchPlans } from "./plans.ts";
import { benchRates } from "./rates.ts";
import { progress } from "./report.ts";
import { benchScale } from "./scale/benchScale.ts";
import { benchServices } from "./services/benchServices.ts";
import { quick } from "./settings.ts";
import { benchStatistics } from "./statistics.ts";
import { benchStore } from "./store.ts";
import { benchWebhooks } from "./webhooks.ts";

/** The cluster comes last: what it leaves its API server to do would disturb the others. */
const topics: Readonly<Record<string, () => Promise<void>>> = {
  store: benchStore,
  pages: benchPages,
  rates: benchRates,
  bundles: benchBundles,
  engine: benchEngine,
  plans: benchPlans,
  statistics: benchStatistics,
  scale: benchScale,
  webhooks: benchWebhooks,
  services: benchServices,
  console: benchConsole,
  copy: benchCopies,
  helm: benchHelm,
  "day-two": benchDayTwo,
  cluster: benchCluster,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => topics[name] === undefined);
if (unknown.length > 0) {
  console.error(`unknown topic ${unknown.join(", ")}; there are ${Object.keys(topics).join(", ")}`);
  process.exit(1);
}

const [only, ...others] = asked;
if (only !== undefined && others.length === 0) {
  progress(only);
  await topics[only]?.();
} else await runAll(asked.length > 0 ? asked : Object.keys(topics));

/** Each topic in a process of its own: settings and clients of a Slipway outlive it in its process. */
async function runAll(names: readonly string[]): Promise<void> {
  console.log("# Benchmark\n");
  if (quick) console.log("**A quick run: it shows that the benchmark runs; its figures mean nothing.**\n");
  console.log(describeMachine("before"));
  for (const name of names) {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), name], { stdio: "inherit" });
    const [code] = await once(child, "close");
    if (code !== 0) process.exit(1);
  }
  console.log(`\n${describeMachine("after")}`);
}
