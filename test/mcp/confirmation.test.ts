import { expect, test } from "vitest";
import type { Operation } from "../../clients/mcp/apiDocument.ts";
import { confirmationOf, confirmedKey } from "../../clients/mcp/confirmation.ts";

const operation = { id: "scaleWorkload" } as Operation;
const connection = { address: "http://127.0.0.1:8080", token: "one" };
const call = {
  operation,
  parameters: { envName: "dev" },
  body: { target: 2, workload: { kind: "Deployment", name: "a" } },
};
const now = Date.UTC(2026, 0, 1);
const tenMinutes = 600_000;

test("a confirmation holds for ten minutes", () => {
  const confirmation = confirmationOf(connection, call, now);
  expect(confirmedKey(confirmation, connection, call, now + tenMinutes - 1)).toMatch(/^mcp-/);
  expect(() => confirmedKey(confirmation, connection, call, now + tenMinutes)).toThrow("older than 10 minutes");
});

test("a later end that somebody writes into it makes it none", () => {
  const [end = "", ...rest] = confirmationOf(connection, call, now).split(".");
  const longer = [Number(end) + 3600, ...rest].join(".");
  expect(() => confirmedKey(longer, connection, call, now)).toThrow("not one of this call");
});

test("it holds for the same call in another order of fields", () => {
  const body = { workload: { name: "a", kind: "Deployment" }, target: 2 };
  expect(confirmedKey(confirmationOf(connection, call, now), connection, { ...call, body }, now)).toMatch(/^mcp-/);
});

test.each([
  ["body", connection, { ...call, body: { ...call.body, target: 20 } }],
  ["body inside", connection, { ...call, body: { ...call.body, workload: { kind: "Deployment", name: "b" } } }],
  ["parameter", connection, { ...call, parameters: { envName: "prod" } }],
  ["further parameter", connection, { ...call, parameters: { envName: "dev", override_reason: "now" } }],
  ["operation", connection, { ...call, operation: { id: "deleteProject" } as Operation }],
  ["caller", { ...connection, token: "two" }, call],
  ["Slipway", { ...connection, address: "http://127.0.0.1:8081" }, call],
])("it does not hold for another %s", (_, other, changed) => {
  const confirmation = confirmationOf(connection, call, now);
  expect(() => confirmedKey(confirmation, other, changed, now)).toThrow("not one of this call");
});

test("two previews of the same call are confirmed apart: the second change is meant", () => {
  const keys = [1, 2].map(() => confirmedKey(confirmationOf(connection, call, now), connection, call, now));
  expect(new Set(keys).size).toBe(2);
});
