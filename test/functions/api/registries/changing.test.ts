import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deletionOf, harbor, path, type RegistryCalls, startForRegistries } from "./registryCalls.ts";

let slipway: RegistryCalls;

beforeAll(async () => {
  slipway = await startForRegistries();
});

afterAll(() => slipway.close());

describe("changing a registry", () => {
  test("address, provider, region and namespace are replaced, and the checks are those of adding", async () => {
    const added = await slipway.add("https://before.example.com");
    const at = `${path}/${added.registry_id}`;
    const body = { address: "https://after.example.com", provider: "nexus", region: "", namespace: "store" };
    expect((await slipway.call("PUT", at, { body })).json).toEqual({ message: "success" });
    expect((await slipway.call("GET", at)).json).toEqual({ ...added, ...body });
    expect((await slipway.problemsOf({ ...body, address: "nothing", namespace: "" }, "PUT", at)).sort()).toEqual([
      "address",
      "namespace",
    ]);
    expect(await slipway.problemsOf({ ...body, enable_tls: true }, "PUT", at)).toEqual(["tls_cert"]);
    expect(await slipway.problemsOf({ ...body, provider: "swr" }, "PUT", at)).toEqual(["region"]);
    expect((await slipway.call("GET", at)).json).toEqual({ ...added, ...body });
  });

  test("an unknown registry is 404, an id of another form is no path", async () => {
    const unknown = `${path}/0123456789abcdef00000000`;
    expect((await slipway.call("PUT", unknown, { body: harbor })).json).toMatchObject({ code: 404 });
    expect((await slipway.call("GET", unknown)).status).toBe(404);
    expect((await slipway.call("GET", `${path}/nonsense`)).json).toMatchObject({ code: 404, extra: {} });
    expect((await slipway.call("DELETE", deletionOf("0123456789abcdef00000000"))).status).toBe(200);
  });
});
