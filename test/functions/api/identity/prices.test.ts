import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPerson } from "../../../harness/people.ts";
import { adminToken, type Slipway, startSlipway } from "../../../harness/slipway.ts";

const path = "/api/aslan/system/prices";
const listed = {
  ...{ currency: "USD", vcpu_hour: 0.04048, gb_hour: 0.004445 },
  ...{ million_lambda_requests: 0.2, lambda_gb_second: 0.0000133334, thousand_transitions: 0.025 },
  ...{ million_read_units: 0.125, million_write_units: 0.625 },
};
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});
afterAll(() => slipway.close());

describe("prices", () => {
  test("are those of public lists until they are set, and then what was set", async () => {
    expect((await slipway.call("GET", path)).json).toEqual(listed);
    const own = { ...listed, currency: "EUR", vcpu_hour: 0, gb_hour: 1e-7 };
    const answer = await slipway.call("POST", path, { body: own });
    expect([answer.status, answer.json]).toEqual([200, { message: "success" }]);
    expect((await slipway.call("GET", path)).json).toEqual(own);
  });

  test.each([
    [{ currency: "usd", vcpu_hour: -0.01 }, ["currency", "vcpu_hour"]],
    [{ currency: "Euro", gb_hour: "0.01" }, ["currency", "gb_hour"]],
    [{ million_read_units: null, million_write_units: 1_000_001 }, ["million_read_units", "million_write_units"]],
    [{ thousand_transitions: undefined, lambda_gb_second: [] }, ["lambda_gb_second", "thousand_transitions"]],
  ])("are refused naming each field that is wrong, and stay: %j", async (wrong, fields) => {
    const before = (await slipway.call("GET", path)).json;
    const { status, json } = await slipway.call<{ code: number; extra: { problems: { path: string }[] } }>(
      "POST",
      path,
      { body: { ...listed, ...wrong } },
    );
    expect([status, json.code]).toEqual([400, 400]);
    expect(json.extra.problems.map((problem) => problem.path).sort()).toEqual(fields);
    expect((await slipway.call("GET", path)).json).toEqual(before);
  });

  test("that are no finite number are refused", async () => {
    const body = JSON.stringify(listed).replace("0.04048", "1e999");
    const answer = await fetch(`${slipway.runtime.url}${path}`, {
      ...{ method: "POST", body },
      headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" },
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("vcpu_hour");
  });

  test("are for administrators", async () => {
    const { token } = await newPerson("member");
    expect((await slipway.call("GET", path, { token })).status).toBe(403);
    expect((await slipway.call("POST", path, { token, body: listed })).status).toBe(403);
  });
});
