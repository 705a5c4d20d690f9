import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../../../infra/local/aws/database.ts";
import { createEventQueue } from "../../../../infra/local/aws/functions/eventQueue.ts";
import { createFunctionRunner } from "../../../../infra/local/aws/functions/functionRunner.ts";
import { ExecutionEngine } from "../../../../infra/local/aws/states/executionEngine.ts";
import { createExecutionStore } from "../../../../infra/local/aws/states/executionStore.ts";
import { readMachine } from "../../../../infra/local/aws/states/machine.ts";
import { TaskTokens } from "../../../../infra/local/aws/states/taskTokens.ts";
import { isStorageFull } from "../../../../shared/base/errors/storageFull.ts";
import { waitFor } from "../../../harness/waitFor.ts";

let folder: string;
let database: DatabaseSync;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-full-"));
  database = openDatabase(folder);
  lines = [];
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** SQLite says that the disk is full when a file may have no more pages. */
function fill(): void {
  const pages = database.prepare("PRAGMA page_count").get()?.page_count;
  database.exec(`PRAGMA max_page_count = ${pages}`);
  let isFull = false;
  for (let at = 0; !isFull; at++)
    try {
      database.prepare("INSERT INTO settings (name, value) VALUES (?, ?)").run(`fill ${at}`, "x".repeat(500));
    } catch (error) {
      isFull = isStorageFull(error);
      if (!isFull) throw error;
    }
}

function makeRoom(): void {
  database.exec("PRAGMA max_page_count = 1000000");
}

const log = (line: string) => void lines.push(line);

test("the end of an execution is stored once there is room, and is then what it was", async () => {
  const gate = Promise.withResolvers<void>();
  const store = createExecutionStore(database);
  const Work = {
    ...{ Type: "Task", Resource: "arn:aws:states:::lambda:invoke", End: true },
    Parameters: { FunctionName: "work", Payload: {} },
  };
  const machine = { StartAt: "Work", States: { Work } };
  const engine = new ExecutionEngine({
    ...{ store, log, tokens: new TaskTokens() },
    machines: new Map([["one", readMachine("one", machine)]]),
    functions: createFunctionRunner({ work: async () => gate.promise.then(() => "x".repeat(100_000)) }),
  });
  engine.start("one", "first", "{}");
  fill();
  gate.resolve();
  await waitFor("the end not to be stored", async () => lines.some((line) => line.includes("was not stored")));
  expect(store.get("one", "first")?.status).toBe("RUNNING");
  makeRoom();
  await waitFor("the end to be stored", async () => store.get("one", "first")?.status === "SUCCEEDED");
  expect(store.get("one", "first")?.output).toContain("x".repeat(100_000));
  expect(store.history("one", "first").filter(({ type }) => type === "ExecutionSucceeded")).toHaveLength(1);
  engine.close();
});

test("an event whose failure cannot be stored is delivered again only after it was", async () => {
  let delivered = 0;
  const work = async () => {
    delivered++;
    throw new Error("not yet");
  };
  const queue = createEventQueue(database, createFunctionRunner({ work }), log);
  queue.add("work", JSON.stringify("x".repeat(3000)));
  // Every change of a row fails for a while, as on a full disk.
  database.exec("CREATE TEMP TRIGGER full BEFORE UPDATE ON invocations BEGIN SELECT RAISE(ABORT, 'full'); END");
  await waitFor("the failure not to be stored", async () => lines.some((line) => line.includes("was not stored")));
  expect(delivered).toBe(1);
  database.exec("DROP TRIGGER full");
  await waitFor("the event to be delivered again", async () => delivered === 2);
  queue.stop();
});
