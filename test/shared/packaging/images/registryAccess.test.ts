import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { selfSignedCertificate } from "../../../../infra/local/cluster/http/certificate.ts";
import { openImageCopier } from "../../../../shared/packaging/images/copy/imageCopier.ts";
import {
  publicAccess,
  type RegistryAccess,
  registryAccess,
} from "../../../../shared/packaging/images/registryAccess.ts";
import { findRegistry } from "../../../../shared/packaging/registries/store/registries.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { startTestRegistry, type TestRegistry } from "../../../harness/testRegistry.ts";

let slipway: Slipway;
let registry: TestRegistry;
let cert: string;
const path = "/openapi/system/registry";
const credentials = { username: "robot", password: "its-secret" };

beforeAll(async () => {
  const made = selfSignedCertificate("127.0.0.1");
  cert = made.certificate;
  [slipway, registry] = await Promise.all([
    startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } }),
    startTestRegistry({ tls: { key: made.key, cert }, credentials }),
  ]);
});

afterAll(() => Promise.all([slipway.close(), registry.close()]));

/** The access of a registry that is registered with these fields. */
async function access(fields: object): Promise<RegistryAccess> {
  const body = { provider: "native", namespace: "shop", is_default: false, access_key: "", secret_key: "", ...fields };
  const before = await ids();
  const answer = await slipway.call("POST", path, { body: { address: `https://${registry.address}`, ...body } });
  expect(answer.status, answer.text).toBe(200);
  const record = await findRegistry((await ids()).find((id) => !before.includes(id)) ?? "");
  if (record === undefined) throw new Error("the registry is not stored");
  return registryAccess(record);
}

async function ids(): Promise<string[]> {
  return (await slipway.call<{ registry_id: string }[]>("GET", path)).json.map(({ registry_id }) => registry_id);
}

async function problemOf(from: RegistryAccess): Promise<string> {
  const copier = openImageCopier({ signal: new AbortController().signal });
  const place = { registry: from, repository: "shop/app", reference: "v1" };
  const to = { registry: from, repository: "shop/app", reference: "v2" };
  const { problem, retryable } = await copier.copy({ id: "app", from: place, to });
  copier.close();
  expect(retryable).toBe(false);
  return problem;
}

describe("the access that a registry's record gives", () => {
  test("has its host, its namespace below the path of its address, and its login", async () => {
    const keys = { access_key: "AK", secret_key: "SK" };
    const made = await access({ ...keys, address: "https://r.example.com:5443/docker/" });
    expect(made).toMatchObject({ address: "r.example.com:5443", scheme: "https:", namespace: "docker/shop", tls: {} });
    expect(await made.login()).toEqual({ username: "AK", password: "SK" });
    expect(await (await access({})).login()).toBeUndefined();
  });

  test("trusts a certificate that nobody signed only where enable_tls and tls_cert say so", async () => {
    const keys = { access_key: credentials.username, secret_key: credentials.password };
    const refused = await problemOf(await access(keys));
    expect(refused).toContain(`${registry.address}/shop/app (v`);
    expect(refused).toMatch(/TLS is not trusted \(.*SELF_SIGNED.*\).*tls_cert/);
    expect(registry.requests).toEqual([]);
    const trusted = await problemOf(await access({ ...keys, enable_tls: true, tls_cert: cert }));
    expect(trusted).toBe(
      `${registry.address}/shop/app (v1): is not there (404); check the repository's name, tag or digest`,
    );
  });

  test("a wrong password is said without the password", async () => {
    const keys = { access_key: credentials.username, secret_key: "not-this-one" };
    const refused = await problemOf(await access({ ...keys, enable_tls: true, tls_cert: cert }));
    expect(refused).toContain("asks for another login (401)");
    expect(refused).not.toContain("not-this-one");
  });

  test("nobody's registry is read over https without login", async () => {
    const made = publicAccess("registry.example.com");
    expect(made).toMatchObject({ address: "registry.example.com", scheme: "https:", namespace: "" });
    expect(await made.login()).toBeUndefined();
  });
});
