import { afterAll, beforeAll, expect, test } from "vitest";
import { closeForgotten } from "../../../../shared/access/audit/closeForgotten.ts";
import { operationsBehind } from "../../../../shared/access/audit/store/inOrder.ts";
import { startOperation } from "../../../../shared/access/audit/store/pending.ts";
import { verifyOperations } from "../../../../shared/access/audit/verifyOperations.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { someOperation } from "../../../harness/operations.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

test("the first request of an installation, killed before it counted anything, is record 1", async () => {
  expect(await operationsBehind("", 10, { consistent: true })).toEqual([]);
  await startOperation({ ...someOperation, createdAt: nowSeconds() - 200 });
  // The reconciler of the start may be at it as well.
  await Promise.all([closeForgotten(), closeForgotten()]);
  const records = await operationsBehind("", 10, { consistent: true });
  expect(records).toMatchObject([{ sequence: 1, record: { status: 0, detail: "outcome unknown" } }]);
  expect(await verifyOperations()).toMatchObject({ records: 1, findings: [], problems: [] });
});
