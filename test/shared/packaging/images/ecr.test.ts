import { createHash, randomBytes } from "node:crypto";
import {
  CompleteLayerUploadCommand,
  CreateRepositoryCommand,
  DescribeRepositoriesCommand,
  ECRClient,
  InitiateLayerUploadCommand,
  UploadLayerPartCommand,
} from "@aws-sdk/client-ecr";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openImageCopier } from "../../../../shared/packaging/images/copy/imageCopier.ts";
import { type RegistryAccess, registryAccess } from "../../../../shared/packaging/images/registryAccess.ts";
import { findRegistry } from "../../../../shared/packaging/registries/store/registries.ts";
import { hasPython, type Moto, startMoto } from "../../../harness/moto.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { pusher, startTestRegistry, type TestRegistry } from "../../../harness/testRegistry.ts";

const region = "eu-central-1";
const ownAccount = "123456789012";
const otherAccount = "210987654321";
const path = "/openapi/system/registry";
const credentials = { accessKeyId: "AKIATEST", secretAccessKey: "test-secret" };
const imageConfig = "application/vnd.oci.image.config.v1+json";
const imageLayer = "application/vnd.oci.image.layer.v1.tar+gzip";
const manifestType = "application/vnd.oci.image.manifest.v1+json";
const settings = ["AWS_ENDPOINT_URL_ECR", "AWS_ENDPOINT_URL_STS", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];

if (!hasPython()) {
  console.warn("SKIPPED: calls of ECR, which moto answers. Install Python 3 with venv.");
  describe.skip("ECR: there is no Python", () => test("skipped", () => {}));
} else ecrSuite();

/** Moto answers as AWS does; the interface of registries it does not have, so the local registry stands in for that. */
function ecrSuite(): void {
  let slipway: Slipway;
  let moto: Moto;
  let source: TestRegistry;
  /** Takes the token that moto gives for an account. */
  const targets = new Map<string, TestRegistry>();
  const before = settings.map((name) => [name, process.env[name]] as const);

  beforeAll(async () => {
    moto = await startMoto();
    const targetOf = async (account: string) => {
      const login = { username: "AWS", password: `${account}-auth-token` };
      targets.set(account, await startTestRegistry({ credentials: login }));
    };
    [slipway, source] = await Promise.all([
      startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } }),
      startTestRegistry(),
      targetOf(ownAccount),
      targetOf(otherAccount),
    ]);
    Object.assign(process.env, { AWS_ENDPOINT_URL_ECR: moto.url, AWS_ENDPOINT_URL_STS: moto.url });
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: "AKIAOWN", AWS_SECRET_ACCESS_KEY: "own-secret" });
  }, 300_000);

  afterAll(async () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await Promise.all([
      slipway?.close(),
      source?.close(),
      moto?.close(),
      ...[...targets.values()].map((one) => one.close()),
    ]);
  });

  const keys = { access_key: credentials.accessKeyId, secret_key: credentials.secretAccessKey };
  const targetAt = (account: string) => targets.get(account) as TestRegistry;

  /** Registers the ECR of an account. */
  async function register(account: string, fields: object = {}): Promise<RegistryAccess> {
    const address = `http://${targetAt(account).address}`;
    const known = new Set(await ids());
    const body = { address, provider: "ecr", region, namespace: "", is_default: false, ...keys, ...fields };
    const answer = await slipway.call("POST", path, { body });
    expect(answer.status, answer.text).toBe(200);
    const record = await findRegistry((await ids()).find((id) => !known.has(id)) ?? "");
    if (record === undefined) throw new Error("the registry is not stored");
    return registryAccess(record);
  }

  async function ids(): Promise<string[]> {
    return (await slipway.call<{ registry_id: string }[]>("GET", path)).json.map(({ registry_id }) => registry_id);
  }

  async function copy(registry: RegistryAccess, repository: string) {
    for (const target of targets.values()) target.requests.length = 0;
    const copier = openImageCopier({ signal: new AbortController().signal });
    const from = { registry: source.access, repository, reference: "v1" };
    return copier.copy({ id: repository, from, to: { ...from, registry } }).finally(() => copier.close());
  }

  const ecr = (more: object = {}) => new ECRClient({ region, endpoint: moto.url, credentials, ...more });

  async function repositoryOf(name: string, client = ecr()) {
    const { repositories } = await client.send(new DescribeRepositoriesCommand({ repositoryNames: [name] }));
    const [found] = repositories ?? [];
    return [found?.registryId, found?.imageScanningConfiguration?.scanOnPush, found?.imageTagMutability];
  }

  /** An image whose layers are known; the name is its repository's. */
  async function pushImage(repository: string, layers: Buffer[]) {
    const push = pusher(source.address);
    const config = await push.blob(repository, randomBytes(40), imageConfig);
    const descriptors = [];
    for (const layer of layers) descriptors.push(await push.blob(repository, layer, imageLayer));
    return push.manifest(repository, "v1", {
      ...{ schemaVersion: 2, mediaType: manifestType },
      ...{ config, layers: descriptors },
    });
  }

  test("a missing repository is made, scanning what is pushed unless the registry says otherwise", async () => {
    await pushImage("slipway/web", [randomBytes(2000)]);
    const outcome = await copy(await register(ownAccount), "slipway/web");
    expect(outcome).toMatchObject({ state: "passed", problem: "" });
    expect(await repositoryOf("slipway/web")).toEqual([ownAccount, true, "MUTABLE"]);
    // Nothing is looked for in a repository that was just made.
    expect(targetAt(ownAccount).requests.filter((line) => /^HEAD .*\/blobs\//.test(line))).toEqual([]);

    await pushImage("slipway/fixed", [randomBytes(2000)]);
    const fixed = await register(ownAccount, { scan_on_push: false, immutable_tags: true });
    expect((await copy(fixed, "slipway/fixed")).state).toBe("passed");
    expect(await repositoryOf("slipway/fixed")).toEqual([ownAccount, false, "IMMUTABLE"]);
  });

  test("which layers are there is asked in one question, and those are not sent", async () => {
    const [known, unknown] = [randomBytes(3000), randomBytes(3000)];
    const repositoryName = "slipway/layers";
    const client = ecr();
    await client.send(new CreateRepositoryCommand({ repositoryName }));
    const digest = `sha256:${createHash("sha256").update(known).digest("hex")}`;
    const { uploadId } = await client.send(new InitiateLayerUploadCommand({ repositoryName }));
    const part = { partFirstByte: 0, partLastByte: known.length - 1, layerPartBlob: known };
    await client.send(new UploadLayerPartCommand({ repositoryName, uploadId, ...part }));
    await client.send(new CompleteLayerUploadCommand({ repositoryName, uploadId, layerDigests: [digest] }));
    const there = pusher(targetAt(ownAccount).address, {
      authorization: `Basic ${Buffer.from(`AWS:${ownAccount}-auth-token`).toString("base64")}`,
    });
    await there.blob(repositoryName, known, imageLayer);

    const { digest: image } = await pushImage(repositoryName, [known, unknown]);
    const outcome = await copy(await register(ownAccount), repositoryName);
    expect(outcome).toMatchObject({ state: "passed", digest: image });
    expect(outcome.bytes).toBeLessThan(known.length + unknown.length);
    expect(targetAt(ownAccount).requests.filter((line) => line.includes(digest))).toEqual([]);
    expect(targetAt(ownAccount).requests.filter((line) => /^HEAD .*\/blobs\//.test(line))).toEqual([]);
  });

  test("images of one repository at the same time make it once", async () => {
    const push = pusher(source.address);
    const registry = await register(ownAccount);
    const copier = openImageCopier({ signal: new AbortController().signal });
    const tags = ["v1", "v2", "v3", "v4"];
    for (const tag of tags) await push.image("slipway/many", tag);
    const outcomes = await Promise.all(
      tags.map((reference) => {
        const from = { registry: source.access, repository: "slipway/many", reference };
        return copier.copy({ id: reference, from, to: { ...from, registry } });
      }),
    );
    copier.close();
    expect(outcomes.map(({ problem }) => problem)).toEqual(["", "", "", ""]);
  });

  test.each([
    ["the platform's own role", { access_key: "", secret_key: "" }],
    ["keys", {}],
  ])("the role of another account is taken on by %s: login and repositories are that account's", async (_, by) => {
    const isOwn = "access_key" in by;
    const name = isOwn ? "slipway/by-role" : "slipway/by-keys";
    await pushImage(name, [randomBytes(2000)]);
    const role = { role_arn: `arn:aws:iam::${otherAccount}:role/slipway-images`, external_id: "external-4711" };
    const registered = await register(otherAccount, role);
    // Without keys an address has to be Amazon's, where nothing answers here; so the role's own are taken away below.
    const target = registered.ecr;
    const registry: RegistryAccess =
      !isOwn || target === undefined
        ? registered
        : { ...registered, ecr: async () => ({ ...(await target()), accessKey: "", secretKey: "" }) };
    expect(await copy(registry, name)).toMatchObject({ state: "passed", problem: "" });
    const { assumeRole } = await import("../../../../shared/base/aws/sts/assumeRole.ts");
    const {
      expiration: _end,
      sessionToken,
      ...given
    } = await assumeRole({
      ...{ region, roleArn: role.role_arn, externalId: role.external_id },
      keys: credentials,
    });
    const client = ecr({ credentials: { ...given, sessionToken } });
    expect(await repositoryOf(name, client)).toEqual([otherAccount, true, "MUTABLE"]);
    await expect(repositoryOf(name)).rejects.toThrow("does not exist");
  });

  test("a registry that is tried logs in by ECR", async () => {
    const validate = "/api/aslan/system/registry/validate";
    const body = { address: `http://${targetAt(ownAccount).address}`, provider: "ecr", region, ...keys };
    expect((await slipway.call("POST", validate, { body })).text).toBe('{"message":"success"}');
    const elsewhere = { ...body, role_arn: `arn:aws:iam::${otherAccount}:role/slipway-images` };
    const refused = await slipway.call<{ description: string }>("POST", validate, { body: elsewhere });
    expect(refused.status).toBe(400);
    expect(refused.json.description).toContain("asks for another login (401)");
  });

  test("an AWS that does not answer is told, with what to do", async () => {
    await pushImage("slipway/gone", [randomBytes(2000)]);
    const registry = await register(ownAccount);
    await registry.login();
    process.env.AWS_ENDPOINT_URL_ECR = "http://127.0.0.1:1";
    const outcome = await copy(registry, "slipway/gone");
    process.env.AWS_ENDPOINT_URL_ECR = moto.url;
    expect(outcome).toMatchObject({ state: "failed", retryable: true });
    expect(outcome.problem).toMatch(
      /slipway\/gone: ECR in eu-central-1 does not let Slipway look for layers .*try again later/,
    );
  });
}
