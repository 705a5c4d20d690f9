import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { selfSignedCertificate } from "../../../../infra/local/cluster/http/certificate.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { newPerson } from "../../../harness/people.ts";
import { storeCallsOf, unitsOf } from "../../../harness/storeCallsOf.ts";
import { deletionOf, harbor, path, type RegistryCalls, startForRegistries } from "./registryCalls.ts";

let slipway: RegistryCalls;

beforeAll(async () => {
  slipway = await startForRegistries();
});

afterAll(() => slipway.close());

describe("who may", () => {
  test("only system administrators see one, add, change and delete; others see the list once they hold a role", async () => {
    const added = await slipway.add("https://guarded.example.com");
    const { token } = await newPerson("eve");
    const one = `${path}/${added.registry_id}`;
    const attempts: [string, string][] = [
      ["GET", path],
      ["POST", path],
      ["GET", one],
      ["PUT", one],
      ["DELETE", deletionOf(added.registry_id)],
    ];
    for (const [method, at] of attempts) {
      const options = method === "GET" || method === "DELETE" ? {} : { body: harbor };
      expect((await slipway.call(method, at, { ...options, token: null })).status).toBe(401);
      expect((await slipway.call(method, at, { ...options, token })).json).toMatchObject({ code: 403 });
    }
    expect((await slipway.call("GET", one)).json).toEqual(added);
    const member = await newPerson("member", [{ namespace: "shop", roles: { "read-only": [] } }]);
    expect((await slipway.call("GET", path, { token: member.token })).json).toEqual(await slipway.list());
    expect((await slipway.call("GET", one, { token: member.token })).status).toBe(403);
  });

  test("reading one or all costs at most two round trips and 1.5 units for 4 KB", async () => {
    for (const [at, authentication] of [
      [path, 4],
      [`${path}/${(await slipway.list())[0]?.registry_id}`, 2],
    ] as const) {
      const { status, body, calls } = await storeCallsOf("GET", at);
      expect(status).toBe(200);
      const own = calls.slice(authentication);
      expect(own.length).toBeLessThanOrEqual(2);
      expect(unitsOf(own)).toBeLessThanOrEqual(1 + 0.5 * Math.ceil((2 * body.length) / 4096));
    }
  });
});

describe("what is kept", () => {
  test("mutations stand in the operation log with its words, keys masked", async () => {
    const added = await slipway.add("https://logged.example.com");
    await slipway.call("PUT", `${path}/${added.registry_id}`, { body: harbor });
    await slipway.call("DELETE", deletionOf(added.registry_id));
    const logs = await slipway.call<{ operation_logs: Record<string, unknown>[] }>(
      "GET",
      "/openapi/system/operation?searchType=all&perPage=3&page=1",
    );
    const common = { function: "Resource Configuration - Image Repository", project_key: "", status: 200 };
    expect(logs.json.operation_logs).toMatchObject([
      { ...common, method: "Delete", detail: added.registry_id, request_body: "" },
      { ...common, method: "Update", detail: added.registry_id, request_body: "" },
      { ...common, method: "Add", detail: "Provider: harbor, Namespace: shop" },
    ]);
    const [, , creation] = logs.json.operation_logs;
    expect(JSON.parse(String(creation?.request_body))).toEqual({
      ...harbor,
      address: "https://logged.example.com",
      access_key: "********",
      secret_key: "********",
    });
  });

  test("keys and certificate stand in no answer and no item", async () => {
    const { certificate } = selfSignedCertificate("registry.example.com");
    const secrets = { access_key: "ACCESS-4711", secret_key: "SECRET-4711", enable_tls: true, tls_cert: certificate };
    const added = await slipway.add("https://sealed.example.com", secrets);
    const partition = await table().query({ pk: `registry#${added.registry_id}` });
    const entries = await table().query({ index: "list", pk: "registries" });
    const logs = await slipway.call("GET", "/openapi/system/operation?searchType=all&perPage=5&page=1");
    const shown = [await slipway.list(), (await slipway.call("GET", `${path}/${added.registry_id}`)).json];
    const all = JSON.stringify([partition, entries, logs.json, shown]);
    expect(partition.length).toBeGreaterThan(0);
    for (const secret of ["ACCESS-4711", "SECRET-4711", certificate.split("\n")[1]]) expect(all).not.toContain(secret);
  });
});
