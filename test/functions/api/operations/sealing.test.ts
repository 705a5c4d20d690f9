import { afterAll, beforeAll, expect, test } from "vitest";
import { appendOperation } from "../../../../shared/access/audit/store/append.ts";
import { takePlaces } from "../../../../shared/access/audit/store/counts.ts";
import { operationsBehind } from "../../../../shared/access/audit/store/inOrder.ts";
import { operationItems } from "../../../../shared/access/audit/store/operationItems.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { create } from "../../../../shared/base/store/writes.ts";
import { someOperation } from "../../../harness/operations.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { listOperations } from "./operationCalls.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
  const body = { project_key: "busy", project_name: "Busy", project_type: "yaml" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
});

afterAll(() => slipway.close());

const stored = () => operationsBehind("", 1000, { consistent: true });
const unsealed = async () => (await stored()).filter(({ seal }) => seal === undefined);

async function untilSealed(): Promise<number> {
  const waiting = (await unsealed()).length;
  await slipway.runtime.reconcile();
  await waitFor("every record to be sealed", async () => (await unsealed()).length === 0);
  return waiting;
}

async function expectChain(chain: string, length: number): Promise<void> {
  const seals = (await stored()).flatMap(({ seal }) => (seal?.chain === chain ? [seal] : []));
  const inChain = seals.sort((a, b) => a.chainSequence - b.chainSequence);
  const numbers = inChain.map(({ chainSequence }) => chainSequence);
  expect(numbers).toEqual(Array.from({ length }, (_, at) => at + 1));
  const before = inChain.slice(1).map(({ previousHash }) => previousHash);
  expect(before).toEqual(inChain.slice(0, -1).map(({ hash }) => hash));
}

test("fifty changes of one project at the same moment are each recorded once, and sealed", async () => {
  const names = Array.from({ length: 50 }, (_, at) => `service-${at}`);
  const startedAt = performance.now();
  const times = await Promise.all(
    names.map(async (service_name) => {
      const body = { service_name, yaml: `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${service_name} }\n` };
      const answer = await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=busy", { body });
      expect(answer.status, answer.text).toBe(200);
      return performance.now() - startedAt;
    }),
  );
  console.log(`50 requests at once: the last answered after ${Math.max(...times).toFixed(0)} ms`);
  await untilSealed();

  const search = "searchType=project&projectKey=busy&perPage=100&page=1";
  const { json } = await listOperations(slipway, search);
  expect(json.total).toBe(51);
  const added = json.operation_logs.filter(({ method }) => method === "Add").map(({ detail }) => detail);
  expect(added.sort()).toEqual([...names, "Busy"].sort());
  await expectChain("busy", 51);
});

test("fifty functions that append to one chain at the same moment lose no record and seal each once", async () => {
  const startedAt = performance.now();
  const record = (at: number) => ({ ...someOperation, projectKey: "contended", detail: `record ${at}` });
  const appended = await Promise.all(Array.from({ length: 50 }, (_, at) => appendOperation(record(at))));
  const milliseconds = performance.now() - startedAt;
  const late = appended.filter(({ sealed }) => !sealed).length;
  expect(await untilSealed()).toBe(late);
  console.log(`50 appended at once: ${milliseconds.toFixed(0)} ms, ${late} sealed by the reconciler`);
  const { json } = await listOperations(slipway, "searchType=project&projectKey=contended&perPage=100&page=1");
  expect(new Set(json.operation_logs.map(({ detail }) => detail)).size).toBe(50);
  expect(json.total).toBe(50);
  await expectChain("contended", 50);
});

test("a record that found no moment to be sealed is listed at once and sealed later", async () => {
  const record = { ...someOperation, username: "Late", projectKey: "late" };
  const places = await takePlaces(record);
  await table().write(...operationItems(record, places).map(create));
  const { json } = await listOperations(slipway, "searchType=user&username=Late&perPage=1&page=1");
  expect(json.operation_logs).toMatchObject([{ username: "Late" }]);
  expect(await untilSealed()).toBe(1);
  await expectChain("late", 1);
  expect((await listOperations(slipway, "searchType=project&projectKey=late&perPage=1&page=1")).json.total).toBe(1);
});
