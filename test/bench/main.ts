import { benchBundles } from "./bundles.ts";
import { benchCluster } from "./cluster/benchCluster.ts";
import { describeMachine } from "./machine.ts";
import { benchPages } from "./pages.ts";
import { benchRates } from "./rates.ts";
import { progress } from "./report.ts";
import { quick } from "./settings.ts";
import { benchStore } from "./store.ts";

/** The cluster comes last: what it leaves its API server to do would disturb the others. */
const topics: Readonly<Record<string, () => Promise<void>>> = {
  store: benchStore,
  pages: benchPages,
  rates: benchRates,
  bundles: benchBundles,
  cluster: benchCluster,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => topics[name] === undefined);
if (unknown.length > 0) {
  console.error(`unknown topic ${unknown.join(", ")}; there are ${Object.keys(topics).join(", ")}`);
  process.exit(1);
}

console.log("# Benchmark\n");
if (quick) console.log("**A quick run: it shows that the benchmark runs; its figures mean nothing.**\n");
console.log(describeMachine("before"));
for (const [name, run] of Object.entries(topics)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  progress(name);
  await run();
}
console.log(`\n${describeMachine("after")}`);
