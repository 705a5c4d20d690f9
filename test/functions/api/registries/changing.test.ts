import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findRegistry } from "../../../../shared/packaging/registries/store/registries.ts";
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

  test("what is for ecr stays unless it is sent; a role can be taken away, and all goes with the provider", async () => {
    const address = "https://123456789012.dkr.ecr.eu-south-1.amazonaws.com";
    const visible = { address, provider: "ecr", region: "eu-south-1", namespace: "" };
    const roleArn = "arn:aws:iam::210987654321:role/slipway-images";
    const role = { role_arn: roleArn, external_id: "told-them" };
    const { registry_id: id } = await slipway.add(address, { ...visible, ...role, immutable_tags: true });
    const changed = async (body: object) => {
      const answer = await slipway.call("PUT", `${path}/${id}`, { body: { ...visible, ...body } });
      expect(answer.status, answer.text).toBe(200);
      const stored = await findRegistry(id);
      return [stored?.roleArn, stored?.externalId, stored?.scanOnPush, stored?.immutableTags];
    };
    expect(await changed({})).toEqual([roleArn, "told-them", true, true]);
    expect(await changed({ external_id: "another", scan_on_push: false })).toEqual([roleArn, "another", false, true]);
    const at = `${path}/${id}`;
    expect(await slipway.problemsOf({ ...visible, role_arn: "", external_id: "x1" }, "PUT", at)).toEqual([
      "external_id",
    ]);
    expect(await changed({ role_arn: "" })).toEqual([undefined, undefined, false, true]);
    expect(await slipway.problemsOf({ ...harbor, role_arn: roleArn }, "PUT", at)).toEqual(["role_arn"]);
    expect(await changed({ ...harbor })).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("an unknown registry is 404, an id of another form is no path", async () => {
    const unknown = `${path}/0123456789abcdef00000000`;
    expect((await slipway.call("PUT", unknown, { body: harbor })).json).toMatchObject({ code: 404 });
    expect((await slipway.call("GET", unknown)).status).toBe(404);
    expect((await slipway.call("GET", `${path}/nonsense`)).json).toMatchObject({ code: 404, extra: {} });
    expect((await slipway.call("DELETE", deletionOf("0123456789abcdef00000000"))).status).toBe(200);
  });
});
