import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { handler } from "../../functions/triggers/cluster-watcher/handler.ts";
import { provideAdapters } from "../../shared/base/aws/adapters.ts";
import { onFigure } from "../../shared/base/metrics/recordMetric.ts";
import { adaptersByMessages } from "./adapterMessages.ts";
import { openTable } from "./table/startTable.ts";
import type { FromThread } from "./threadFunction.ts";
import { untilThereIsRoom } from "./untilThereIsRoom.ts";

export interface WatcherThreadData {
  dataDir: string;
}

const { dataDir, adapters } = workerData as WatcherThreadData & { adapters: MessagePort };
// The settings of the main thread name the table of another engine.
if (process.env.SLIPWAY_DYNAMODB_ENDPOINT === undefined) openTable(dataDir);
provideAdapters(adaptersByMessages(adapters));

onFigure((noted) => parentPort?.postMessage({ noted } satisfies FromThread));
// The main thread ends this one when the answer is no longer wanted.
const { signal } = new AbortController();
parentPort?.on("message", async (event) => {
  const answer = (await untilThereIsRoom(() => handler(event), signal)) ?? null;
  parentPort?.postMessage({ answer } satisfies FromThread);
});
