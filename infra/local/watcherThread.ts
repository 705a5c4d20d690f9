import { parentPort } from "node:worker_threads";
import { handler } from "../../functions/triggers/cluster-watcher/handler.ts";
import { onFigure } from "../../shared/figures/noteFigure.ts";
import type { FromThread } from "./threadFunction.ts";

onFigure((noted) => parentPort?.postMessage({ noted } satisfies FromThread));
parentPort?.on("message", async (event) =>
  parentPort?.postMessage({ answer: (await handler(event)) ?? null } satisfies FromThread),
);
