import { parentPort, workerData } from "node:worker_threads";
import { handler } from "../../functions/triggers/cluster-watcher/handler.ts";
import { onFigure } from "../../shared/figures/noteFigure.ts";
import { openTable } from "./table/startTable.ts";
import type { FromThread } from "./threadFunction.ts";

export interface WatcherThreadData {
  dataDir: string;
}

// The settings of the main thread name the table of another engine.
if (process.env.SLIPWAY_DYNAMODB_ENDPOINT === undefined) openTable((workerData as WatcherThreadData).dataDir);

onFigure((noted) => parentPort?.postMessage({ noted } satisfies FromThread));
parentPort?.on("message", async (event) =>
  parentPort?.postMessage({ answer: (await handler(event)) ?? null } satisfies FromThread),
);
