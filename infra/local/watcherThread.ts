import { parentPort, workerData } from "node:worker_threads";
import { handler } from "../../functions/triggers/cluster-watcher/handler.ts";

parentPort?.postMessage((await handler(workerData)) ?? null);
