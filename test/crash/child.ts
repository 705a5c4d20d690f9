import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startRuntime } from "../../infra/local/runtime.ts";
import { provideAdapters } from "../../shared/base/aws/adapters.ts";
import { lastingPort } from "../harness/lastingPort.ts";
import "../harness/passingApprovals.ts";
import { adminToken } from "../harness/slipway.ts";
import { type Aim, createdJobsFile, WriteCounter } from "./writeCounter.ts";

/** What the program tells the test. */
export interface Started {
  url: string;
  /** Its table is read there. */
  dataDir: string;
  kubeconfigPath: string;
}

/** What the test tells the program: die at this write, or say which writes there were. */
export type Order = { aim: Aim } | { listWrites: true };

/**
 * Slipway as a program that can be killed at a chosen write, of its start already: every write that its table or any other
 * of its parts receives is counted. Slipway itself knows nothing of it.
 */
const [dataDir = "", podDelay = "0", firstAim] = process.argv.slice(2);
mkdirSync(dataDir, { recursive: true });
/** Images are named by the address of their registry, which has to be the same after a kill. */
const registryPortFile = join(dataDir, "registry-port");
if (!existsSync(registryPortFile)) writeFileSync(registryPortFile, String(await lastingPort()));
const registryPort = Number(readFileSync(registryPortFile, "utf8"));
const counter = new WriteCounter(join(dataDir, createdJobsFile));
if (firstAim !== undefined) counter.aim(JSON.parse(firstAim));
const runtime = await startRuntime({
  dataDir,
  port: 0,
  registryPort,
  adminToken,
  podDelayMilliseconds: Number(podDelay),
  // The counter sees what this thread writes.
  hasWatcherThreads: false,
  provide: (adapters) => provideAdapters(counter.around(adapters)),
  settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" },
});
counter.except(Number(new URL(runtime.url).port));
process.on("message", (order: Order) => {
  if ("aim" in order) counter.aim(order.aim);
  process.send?.("aim" in order ? "aimed" : counter.names());
});
process.once("SIGTERM", async () => {
  await runtime.close();
  process.exit(0);
});
const started: Started = {
  url: runtime.url,
  dataDir,
  kubeconfigPath: runtime.sandboxKubeconfigPath ?? "",
};
process.send?.(started);
