import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { selfSignedCertificate } from "../../../../infra/local/cluster/http/certificate.ts";
import { harbor, localId, path, type RegistryCalls, startForRegistries } from "./registryCalls.ts";

let slipway: RegistryCalls;

beforeAll(async () => {
  slipway = await startForRegistries();
});

afterAll(() => slipway.close());

describe("adding a registry", () => {
  test("the registry of the machine is there from the start and is the default", async () => {
    expect((await slipway.list())[0]).toEqual({
      registry_id: localId,
      address: slipway.runtime.registryAddress,
      provider: "native",
      region: "",
      namespace: "slipway",
      is_default: true,
    });
  });

  test("every provider is taken, and list and detail show exactly the six keys", async () => {
    for (const provider of ["acr", "tcr", "dockerhub", "harbor", "nexus", "native"]) {
      const added = await slipway.add(`https://${provider}.example.com`, { provider, access_key: "", secret_key: "" });
      expect(added).toEqual({
        registry_id: expect.stringMatching(/^[0-9a-f]{24}$/),
        address: `https://${provider}.example.com`,
        provider,
        region: "",
        namespace: "shop",
        is_default: false,
      });
      const detail = await slipway.call("GET", `${path}/${added.registry_id}`);
      expect(detail.json).toEqual(added);
    }
    const ecr = { provider: "ecr", namespace: "", region: "eu-central-1" };
    expect(await slipway.add("https://123456789012.dkr.ecr.eu-central-1.amazonaws.com", ecr)).toMatchObject(ecr);
    await slipway.add("https://swr.cn-north-4.myhuaweicloud.com", { provider: "swr" });
  });

  test("an open registry over http without keys is taken, its namespace is trimmed, the address is kept as sent", async () => {
    const open = { provider: "native", namespace: " koderover ", access_key: "", secret_key: "" };
    expect(await slipway.add("http://10.0.0.5:5000/", open)).toMatchObject({ namespace: "koderover" });
  });

  test("all problems of a registry are told at once, each with its field", async () => {
    expect((await slipway.problemsOf({})).sort()).toEqual(["address", "namespace", "provider"]);
    const wrong = {
      address: "ftp://harbor.example.com",
      provider: "quay",
      namespace: "My Shop",
      region: "../x",
      is_default: "yes",
      access_key: 1,
      enable_tls: true,
    };
    expect((await slipway.problemsOf(wrong)).sort()).toEqual([
      "access_key",
      "address",
      "is_default",
      "namespace",
      "provider",
      "region",
      "tls_cert",
    ]);
  });

  test.each([
    "",
    "harbor.example.com",
    "https://",
    "https:harbor",
    "/relative",
    "https://user:secret@harbor.example.com",
    "https://harbor.example.com?x=1",
    "https://harbor.example.com/#x",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://harbor example.com",
  ])("the address %j is refused", async (address) => {
    expect(await slipway.problemsOf({ ...harbor, address })).toEqual(["address"]);
  });

  test("what a provider needs is asked for", async () => {
    const ecr = "https://123456789012.dkr.ecr.eu-central-1.amazonaws.com";
    expect(await slipway.problemsOf({ ...harbor, address: ecr, provider: "ecr", namespace: "" })).toEqual(["region"]);
    expect(await slipway.problemsOf({ ...harbor, provider: "swr" })).toEqual(["region"]);
    expect(await slipway.problemsOf({ ...harbor, namespace: "   " })).toEqual(["namespace"]);
    const ownRole = { provider: "ecr", region: "eu-central-1", access_key: "", secret_key: "" };
    expect(await slipway.problemsOf({ ...harbor, ...ownRole })).toEqual(["address"]);
  });

  test("a role is for ecr, of a name that Slipway may take on, and shown by nobody", async () => {
    const address = "https://123456789012.dkr.ecr.eu-west-1.amazonaws.com";
    const ecr = { ...harbor, address, provider: "ecr", region: "eu-west-1", namespace: "" };
    const role_arn = "arn:aws:iam::210987654321:role/slipway-images";
    expect(await slipway.problemsOf({ ...harbor, role_arn })).toEqual(["role_arn"]);
    expect(await slipway.problemsOf({ ...ecr, external_id: "told-them" })).toEqual(["external_id"]);
    for (const wrong of ["slipway-images", "arn:aws:iam::210987654321:role/Admin", "arn:aws:iam::2:role/slipway-x"])
      expect(await slipway.problemsOf({ ...ecr, role_arn: wrong }), wrong).toEqual(["role_arn"]);
    const wrong = { role_arn, external_id: "two words", scan_on_push: "no", immutable_tags: 1 };
    expect((await slipway.problemsOf({ ...ecr, ...wrong })).sort()).toEqual([
      "external_id",
      "immutable_tags",
      "scan_on_push",
    ]);
    const more = { role_arn, external_id: "told-them", scan_on_push: false, immutable_tags: true };
    const added = await slipway.add(address, { ...ecr, ...more });
    expect(Object.keys(added).sort()).toEqual([
      ...["address", "is_default", "namespace", "provider", "region", "registry_id"],
    ]);
    expect((await slipway.call("GET", `${path}/${added.registry_id}`)).text).not.toContain("slipway-images");
  });

  test("a certificate is asked for with enable_tls and must be one", async () => {
    expect(await slipway.problemsOf({ ...harbor, enable_tls: true })).toEqual(["tls_cert"]);
    expect(await slipway.problemsOf({ ...harbor, enable_tls: true, tls_cert: "not a certificate" })).toEqual([
      "tls_cert",
    ]);
    const { certificate } = selfSignedCertificate("registry.example.com");
    await slipway.add("https://tls.example.com", { enable_tls: true, tls_cert: certificate });
  });

  test.each([
    ["an empty body", ""],
    ["an array", "[]"],
    ["a number", "7"],
    ["no JSON", "{"],
  ])("%s is refused", async (_, body) => {
    const { status, json } = await slipway.call("POST", path, { body });
    expect(status).toBe(400);
    expect(json).toMatchObject({ type: "error", code: 400, message: "Bad Request" });
  });
});
