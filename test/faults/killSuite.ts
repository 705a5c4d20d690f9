import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { handler as reconcile } from "../../functions/triggers/reconciler/handler.ts";
import { currentEngine } from "../../infra/local/table/startTable.ts";
import { pendingBefore } from "../../shared/access/audit/store/pending.ts";
import { verifyOperations } from "../../shared/access/audit/verifyOperations.ts";
import type { TableEngine } from "../../shared/base/store/engine.ts";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import { provideTable } from "../../shared/base/store/table.ts";
import { TableClient } from "../../shared/base/store/tableClient.ts";
import { killedEngine } from "../harness/killedEngine.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { operationsOn } from "./operations.ts";

/** What a claim of an `Idempotency-Key` outlives its request by (decisions 18.4). */
const claimMilliseconds = 46_000;
let slipway: Slipway;
let engine: TableEngine;
let runs = 0;
const { operations, outcome } = operationsOn(() => slipway);

/** How many records there are of the first and of the second try: a process that is gone answers no request id. */
async function recordsOf(key: string): Promise<number[]> {
  const { text } = await slipway.call("GET", "/openapi/system/operation/export");
  const lines = text.split("\n").filter((line) => line !== "");
  const recorded = Map.groupBy(lines, (line) => (JSON.parse(line) as { agent: string }).agent);
  return ["first", "again"].map((time) => recorded.get(`${key} ${time}`)?.length ?? 0);
}

/**
 * Each of these operations is killed after some of its writes and asked for again with the same `Idempotency-Key`: it is done
 * once, and recorded once for each try that began.
 * @param isKilled which writes (from 1) of which operation (from 0)
 */
export function killSuite(isKilled: (write: number, operation: number) => boolean): void {
  beforeAll(async () => {
    slipway = await startSlipway({ podDelayMilliseconds: 0 });
    const found = currentEngine();
    if (found === undefined) throw new Error("the table is in no file");
    engine = found;
  });

  afterEach(() => {
    vi.useRealTimers();
    provideTable(new TableClient(engine));
  });
  afterAll(() => slipway.close());

  test.each(operations.map((operation, at) => ({ ...operation, at })))("$name", async ({ at, ...operation }) => {
    const once = async (kill: number) => {
      runs += 1;
      const key = `run-${runs}x`;
      await operation.prepare?.(key);
      const [method, path, body] = operation.request(key);
      const idempotencyKey = randomUUID();
      const send = (time: string) => {
        const headers = { "idempotency-key": idempotencyKey, "user-agent": `${key} ${time}` };
        return slipway.call(method, path, { headers, ...(body && { body }) });
      };
      const killed = killedEngine(engine, kill);
      provideTable(new TableClient(killed));
      const first = await send("first");
      provideTable(new TableClient(engine));
      if (!killed.isDead()) return { first, again: undefined, key, writes: killed.writes() };
      const now = Date.now();
      vi.useFakeTimers({ toFake: ["Date"], now: now + claimMilliseconds, shouldAdvanceTime: true });
      const again = await send("again");
      vi.useRealTimers();
      return { first, again, key, writes: killed.writes() };
    };
    const undisturbed = await once(Number.POSITIVE_INFINITY);
    expect(undisturbed.first.status, undisturbed.first.text).toBe(200);
    const wanted = await outcome(operation, undisturbed.key);
    const told: string[] = [];
    for (let kill = 1; kill <= undisturbed.writes; kill++) {
      if (!isKilled(kill, at)) continue;
      const { first, again, key } = await once(kill);
      // Where the order of writes differs there may be one less.
      if (again === undefined) continue;
      const where = `${operation.name}, killed after write ${kill}: ${first.text}, then ${again.status} ${again.text}`;
      told.push(`${again.status}${again.headers.has("idempotent-replayed") ? " replayed" : ""}`);
      // Work that was done before the kill may be found to be done.
      expect([200, 400, 404, 409], where).toContain(again.status);
      await reconcile({ requestsEndedBefore: nowSeconds() + 1 });
      expect(await outcome(operation, key), where).toEqual(wanted);
      // The first write claims the key, before the second one notes what is about to be done. The last one keeps the answer.
      const isReplayed = again.headers.get("idempotent-replayed") === "true";
      expect(await recordsOf(key), where).toEqual([kill === 1 ? 0 : 1, isReplayed ? 0 : 1]);
    }
    console.log(`${operation.name}: ${undisturbed.writes} writes; the second try is answered ${told.join(", ")}`);
    expect(told.length, operation.name).toBeGreaterThan(0);
    expect(await pendingBefore(nowSeconds() + 1, 100)).toEqual([]);
    expect(await verifyOperations()).toMatchObject({ findings: [], problems: [] });
  });
}
