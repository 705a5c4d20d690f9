import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { handler as reconcile } from "../../functions/triggers/reconciler/handler.ts";
import { currentEngine } from "../../infra/local/table/startTable.ts";
import { pendingBefore } from "../../shared/access/audit/store/pending.ts";
import { verifyOperations } from "../../shared/access/audit/verifyOperations.ts";
import { type Adapters, adapters, provideAdapters } from "../../shared/base/aws/adapters.ts";
import type { TableEngine } from "../../shared/base/store/engine.ts";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import { provideTable } from "../../shared/base/store/table.ts";
import { TableClient } from "../../shared/base/store/tableClient.ts";
import { aroundAdapters } from "../harness/awsCalls.ts";
import { faultyEngine, seeded } from "../harness/faultyEngine.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { operationsOn } from "./operations.ts";

/** What fails while an operation runs, and how many calls of it. */
export interface Fault {
  name: string;
  /** `table`, or a port of the adapters; absent: all of them. */
  service?: "table" | keyof Adapters;
  /** Of 1. */
  rate: number;
  table?: "busy" | "contended";
}

/** The table throttled and disturbed, every service failing by itself, and everything at once. */
export const allFaults: readonly Fault[] = [
  { name: "the table is throttled in 5 calls of 100", service: "table", rate: 0.05 },
  { name: "the table is throttled in 20 calls of 100", service: "table", rate: 0.2 },
  { name: "20 transactions of 100 meet another", service: "table", rate: 0.2, table: "contended" },
  ...(["objects", "keys", "schedules", "functions", "stateMachines", "events", "sockets"] as const).map(
    (service): Fault => ({ name: `every second call of ${service} fails`, service, rate: 0.5 }),
  ),
  { name: "5 calls of 100 of everything fail", rate: 0.05 },
  { name: "20 calls of 100 of everything fail", rate: 0.2 },
];

/** As the SDK says after its own tries. */
const ownFault = () =>
  Object.assign(new Error("a test says so"), {
    ...{ name: "InternalServerError", $fault: "server", $metadata: { httpStatusCode: 500 } },
  });

/** A client that is told to come again does so this often. */
const mostTries = 20;

/**
 * Each operation, while services fail: a client that comes again with the same `Idempotency-Key` when it is told to
 * ends with what an undisturbed one has, each call is recorded once, and nothing stays open.
 */
export function serviceFaultSuite(faults: readonly Fault[], seeds: readonly number[]): void {
  let slipway: Slipway;
  let engine: TableEngine;
  let services: Adapters;
  let runs = 0;
  const { operations, outcome } = operationsOn(() => slipway);

  beforeAll(async () => {
    slipway = await startSlipway({ podDelayMilliseconds: 0 });
    const [foundEngine, foundAdapters] = [currentEngine(), adapters()];
    if (foundEngine === undefined || foundAdapters === undefined) throw new Error("nothing could be made to fail");
    engine = foundEngine;
    services = foundAdapters;
  });

  const undisturbed = () => {
    provideTable(new TableClient(engine));
    provideAdapters(services);
  };
  afterEach(undisturbed);
  afterAll(() => slipway.close());

  /** @returns how many calls failed since */
  function disturb({ service, rate, table = "busy" }: Fault, seed: number): () => number {
    const random = seeded(seed);
    let struck = 0;
    const strikes = (called: string) => {
      if ((service !== undefined && service !== called) || random() >= rate) return false;
      struck += 1;
      return true;
    };
    provideTable(new TableClient(faultyEngine(engine, { strikes: () => (strikes("table") ? table : undefined) })));
    provideAdapters(
      aroundAdapters(services, (call, _, go) => {
        if (strikes(call.split(".")[0] ?? "")) throw ownFault();
        return go();
      }),
    );
    return () => struck;
  }

  test.each(operations)("$name", async (operation) => {
    const run = async (fault?: Fault, seed = 0) => {
      runs += 1;
      const key = `hit-${runs}x`;
      await operation.prepare?.(key);
      const [method, path, body] = operation.request(key);
      const headers = { "idempotency-key": randomUUID() };
      const struck = fault && disturb(fault, seed);
      const requestIds: string[] = [];
      let answer: Awaited<ReturnType<Slipway["call"]>>;
      do {
        answer = await slipway.call(method, path, { headers, ...(body && { body }) });
        if (answer.headers.get("idempotent-replayed") === null)
          requestIds.push(answer.headers.get("x-request-id") ?? "");
        // It comes once a minute, and brings on what was left, while services fail.
        if (answer.headers.has("retry-after"))
          await reconcile({ requestsEndedBefore: nowSeconds() + 1 }).catch(() => {});
      } while (answer.headers.has("retry-after") && requestIds.length < mostTries);
      const where = `${operation.name} while ${fault?.name} (seed ${seed}): ${answer.status} ${answer.text}`;
      // A later try may find that the work was done before the answer failed: created already, or gone.
      expect(requestIds.length === 1 ? [200] : [200, 400, 404], where).toContain(answer.status);
      // What goes on after the answer is disturbed, too.
      await new Promise((resolve) => setTimeout(resolve, 100));
      const failures = struck?.() ?? 0;
      undisturbed();
      await reconcile({ requestsEndedBefore: nowSeconds() + 1 });
      return { key, where, failures, tries: requestIds.length, requestIds };
    };
    const { key } = await run();
    const wanted = await outcome(operation, key);
    const seen: string[] = [];
    const accepted: string[] = [];
    for (const fault of faults)
      for (const seed of seeds) {
        const { key, where, failures, tries, requestIds } = await run(fault, seed);
        expect(await outcome(operation, key), where).toEqual(wanted);
        accepted.push(requestIds.at(-1) ?? "");
        seen.push(`${failures}/${tries}`);
      }
    console.log(`${operation.name}: failures/tries ${seen.join(" ")}`);
    const { text } = await slipway.call("GET", "/openapi/system/operation/export");
    const lines = text.split("\n").filter((line) => line !== "");
    const recorded = Map.groupBy(lines, (line) => (JSON.parse(line) as { request_id: string }).request_id);
    expect(accepted.filter((id) => recorded.get(id)?.length !== 1)).toEqual([]);
    expect(await pendingBefore(nowSeconds() + 1, 100)).toEqual([]);
    expect(await verifyOperations()).toMatchObject({ findings: [], problems: [] });
  });
}
