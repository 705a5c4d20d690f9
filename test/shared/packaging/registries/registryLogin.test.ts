import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { selfSignedCertificate } from "../../../../infra/local/cluster/http/certificate.ts";
import { unsealCredentials } from "../../../../shared/packaging/registries/credentials.ts";
import { registryLogin } from "../../../../shared/packaging/registries/registryLogin.ts";
import { findRegistry, type RegistryRecord } from "../../../../shared/packaging/registries/store/registries.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

const path = "/openapi/system/registry";
const keys = { access_key: "AK", secret_key: "SK" };

async function stored(id: string): Promise<RegistryRecord> {
  const record = await findRegistry(id);
  if (record === undefined) throw new Error(`registry ${id} is not stored`);
  return record;
}

async function add(body: object): Promise<RegistryRecord> {
  const before = (await slipway.call<{ registry_id: string }[]>("GET", path)).json.map((one) => one.registry_id);
  const answer = await slipway.call("POST", path, { body: { is_default: false, ...body } });
  expect(answer.status, answer.text).toBe(200);
  const after = (await slipway.call<{ registry_id: string }[]>("GET", path)).json.map((one) => one.registry_id);
  return stored(after.find((id) => !before.includes(id)) ?? "");
}

describe("the login of a registry", () => {
  test.each(["acr", "tcr", "dockerhub", "harbor", "nexus", "native"])(
    "%s takes the keys as they are",
    async (provider) => {
      const record = await add({ ...keys, address: "https://r.example.com/", provider, namespace: "shop" });
      expect(await registryLogin(record)).toEqual({
        server: "https://r.example.com",
        username: "AK",
        password: "SK",
        prefix: "r.example.com/shop",
      });
    },
  );

  test("swr signs its key and names the region, given or from the address", async () => {
    // printf AK | openssl dgst -sha256 -hmac SK
    const password = "32d633d480c6d326ddd8f439f4fbfc7c9a4e0fa3fc0565ccd56e027700d41b14";
    const swr = { ...keys, provider: "swr", namespace: "shop" };
    const given = await add({ ...swr, address: "https://images.example.com", region: "cn-east-3" });
    expect(await registryLogin(given)).toMatchObject({ username: "cn-east-3@AK", password });
    const found = await add({ ...swr, address: "https://swr.cn-north-4.myhuaweicloud.com" });
    expect(await registryLogin(found)).toMatchObject({ username: "cn-north-4@AK", password });
  });

  test("an open registry has none", async () => {
    const record = await add({
      address: "http://10.0.0.5:5000",
      provider: "native",
      namespace: "a/b",
      access_key: "",
      secret_key: "",
    });
    expect(await registryLogin(record)).toMatchObject({ username: "", password: "", prefix: "10.0.0.5:5000/a/b" });
  });

  test("ecr exchanges the keys once, and says so when AWS refuses", async () => {
    let asked = 0;
    let status = 200;
    const token = Buffer.from("AWS:a-token").toString("base64");
    const aws = createServer((request, response) => {
      asked += 1;
      expect(request.headers.authorization).toContain("Credential=AK/");
      response.writeHead(status, { "content-type": "application/x-amz-json-1.1" });
      response.end(
        JSON.stringify(
          status === 200 ? { authorizationData: [{ authorizationToken: token }] } : { __type: "AccessDeniedException" },
        ),
      );
    });
    await new Promise<void>((resolve) => aws.listen(0, "127.0.0.1", resolve));
    process.env.AWS_ENDPOINT_URL_ECR = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
    onTestFinished(() => {
      delete process.env.AWS_ENDPOINT_URL_ECR;
      aws.closeAllConnections();
      aws.close();
    });
    const ecr = { ...keys, address: "https://123456789012.dkr.ecr.eu-central-1.amazonaws.com", provider: "ecr" };
    const record = await add({ ...ecr, region: "eu-central-1" });
    const login = { username: "AWS", password: "a-token", prefix: "123456789012.dkr.ecr.eu-central-1.amazonaws.com" };
    expect(await registryLogin(record)).toMatchObject(login);
    expect(await registryLogin(record)).toMatchObject(login);
    expect(asked).toBe(1);
    status = 400;
    const other = await add({ ...ecr, region: "eu-west-1" });
    await expect(registryLogin(other)).rejects.toThrow(
      "ECR in eu-west-1 gives no login (AccessDeniedException); check region and the registry's access_key and secret_key",
    );
  });
});

describe("changing a registry", () => {
  const visible = { address: "https://r.example.com", provider: "harbor", namespace: "shop" };

  const { certificate } = selfSignedCertificate("r.example.com");

  test.each([
    ["without TLS", {}, ""],
    ["with TLS", { enable_tls: true, tls_cert: certificate }, certificate],
  ])("%s, keys and certificate survive whatever else changes", async (_, tls, tlsCert) => {
    const before = await add({ ...visible, ...keys, ...tls });
    for (const more of [{}, { access_key: "", secret_key: "", tls_cert: "" }, { provider: "nexus", namespace: "b" }]) {
      const answer = await slipway.call("PUT", `${path}/${before.registryId}`, { body: { ...visible, ...more } });
      expect(answer.status, answer.text).toBe(200);
      const { credentials, enableTls, hasKeys } = await stored(before.registryId);
      expect({ credentials, enableTls, hasKeys }).toEqual({
        credentials: before.credentials,
        enableTls: before.enableTls,
        hasKeys: true,
      });
    }
    expect(await unsealCredentials(await stored(before.registryId))).toEqual({
      accessKey: "AK",
      secretKey: "SK",
      tlsCert,
    });
  });

  test("a key that is given is changed and the other one stays", async () => {
    const { registryId } = await add({ ...visible, ...keys });
    await slipway.call("PUT", `${path}/${registryId}`, { body: { ...visible, secret_key: "NEW" } });
    expect(await registryLogin(await stored(registryId))).toMatchObject({ username: "AK", password: "NEW" });
  });
});
