import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationsOn } from "../faults/operations.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import definitions from "./definitions-62726c30.json" with { type: "json" };

/**
 * Step Functions ends an execution with the definition that it began with, while the functions that it calls are today's.
 * The file holds the definitions of revision 62726c30; those of the release before belong here.
 */
describe("with the definitions of an earlier release", () => {
  let slipway: Slipway;
  const { operations, outcome } = operationsOn(() => slipway);
  const wanted = new Map<string, string[]>();

  async function outcomes(): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (const [at, operation] of operations.entries()) {
      const key = `run-${at}x`;
      await operation.prepare?.(key);
      const [method, path, body] = operation.request(key);
      const { status, text } = await slipway.call(method, path, body && { body });
      expect(status, `${operation.name}: ${text}`).toBe(200);
      found.set(operation.name, await outcome(operation, key));
    }
    return found;
  }

  beforeAll(async () => {
    slipway = await startSlipway({ podDelayMilliseconds: 0 });
    for (const [name, answers] of await outcomes()) wanted.set(name, answers);
    await slipway.close();
    slipway = await startSlipway({ podDelayMilliseconds: 0, definitions });
  });

  afterAll(() => slipway.close());

  test("everything ends as with those of today", async () => {
    expect(await outcomes()).toEqual(wanted);
    for (const name of Object.keys(definitions))
      expect(slipway.runtime.aws.executions.list(name, "FAILED"), name).toEqual([]);
  });
});
