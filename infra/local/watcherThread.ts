import { parentPort } from "node:worker_threads";
import { handler } from "../../functions/triggers/cluster-watcher/handler.ts";

parentPort?.on("message", async (event) => parentPort?.postMessage((await handler(event)) ?? null));
