import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startDatabase } from "../../infra/local/database.ts";
import { startRuntime } from "../../infra/local/runtime.ts";
import { lastingPort } from "../harness/lastingPort.ts";
import { adminToken } from "../harness/slipway.ts";
import { forwardTo } from "./forwarder.ts";
import { type Aim, createdJobsFile, WriteCounter } from "./writeCounter.ts";

/** What the program tells the test. */
export interface Started {
  url: string;
  databaseEndpoint: string;
  kubeconfigPath: string;
}

/** What the test tells the program: die at this write, or say which writes there were. */
export type Order = { aim: Aim } | { listWrites: true };

/**
 * Slipway as a program that can be killed at a chosen write, of its start already: its table's engine stands behind a
 * forwarder, and every write that any of its parts receives is counted. Slipway itself knows nothing of it.
 */
const [dataDir = "", podDelay = "0", firstAim] = process.argv.slice(2);
mkdirSync(dataDir, { recursive: true });
/** Images are named by the address of their registry, which has to be the same after a kill. */
const registryPortFile = join(dataDir, "registry-port");
if (!existsSync(registryPortFile)) writeFileSync(registryPortFile, String(await lastingPort()));
const registryPort = Number(readFileSync(registryPortFile, "utf8"));
const database = await startDatabase({ dataDir, tableName: "slipway" });
const forwarder = await forwardTo(database.endpoint);
const counter = new WriteCounter(join(dataDir, createdJobsFile));
if (firstAim !== undefined) counter.aim(JSON.parse(firstAim));
const runtime = await startRuntime({
  dataDir,
  port: 0,
  registryPort,
  adminToken,
  podDelayMilliseconds: Number(podDelay),
  settings: { SLIPWAY_DYNAMODB_ENDPOINT: forwarder.endpoint, SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" },
});
counter.except(Number(new URL(runtime.url).port));
process.on("message", (order: Order) => {
  if ("aim" in order) counter.aim(order.aim);
  process.send?.("aim" in order ? "aimed" : counter.names());
});
process.once("SIGTERM", async () => {
  await runtime.close();
  await forwarder.close();
  await database.close();
  process.exit(0);
});
const started: Started = {
  url: runtime.url,
  databaseEndpoint: database.endpoint,
  kubeconfigPath: runtime.sandboxKubeconfigPath ?? "",
};
process.send?.(started);
