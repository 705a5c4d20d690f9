import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { basicAuthorization } from "../../../../../infra/local/registry/basicAuth.ts";
import { requireSignedImages } from "../../../../../shared/packaging/images/verification/requireSignedImages.ts";
import { keySigner, type Signer, signImage, startSigstore } from "../../../../harness/signatures.ts";
import { type Answer, type Slipway, startSlipway } from "../../../../harness/slipway.ts";
import { digestOf, type Pushed, type pusher, pusherTo } from "../../../../harness/testRegistry.ts";

const identity = "https://git.example.com/team/app/build.yml@refs/heads/main";
const issuer = "https://token.example.com";
const path = "/openapi/projects/project/verification?projectKey=demo";
const key = keySigner();

let slipway: Slipway;
let push: ReturnType<typeof pusher>;
let sigstore: Awaited<ReturnType<typeof startSigstore>>;
let count = 0;

beforeAll(async () => {
  [slipway, sigstore] = await Promise.all([startSlipway(), startSigstore()]);
  push = pusherTo(slipway.runtime);
  const body = { project_key: "demo", project_name: "Demo", project_type: "yaml", is_public: false };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
});

afterAll(() => slipway.close());

function put(body: object): Promise<Answer<{ code: number; description: string }>> {
  return slipway.call("PUT", path, { body });
}

async function trust(body: object): Promise<void> {
  expect((await put({ enabled: true, ...body })).text).toBe('{"message":"success"}');
}

const byKey = () => trust({ public_key: key.publicKey });
const byIdentity = (more: object = {}) =>
  trust({
    certificate_identity: identity,
    certificate_oidc_issuer: issuer,
    trusted_root: sigstore.root,
    ...more,
  });

/** An image of a name of its own, with its name as manifests have it. */
async function pushed(): Promise<{ name: string; image: Pushed; repository: string }> {
  const repository = `slipway/app-${count++}`;
  const image = await push.image(repository, "v1");
  return { repository, image, name: `${slipway.runtime.registryAddress.replace("http://", "")}/${repository}:v1` };
}

async function signed(signer: Signer, form: Parameters<typeof signImage>[2], digest?: string) {
  const made = await pushed();
  await signImage(push, { ...made, signer }, form, digest);
  return made;
}

const pin = async (name: string) => (await requireSignedImages("demo", [name])).get(name);

async function refusal(name: string): Promise<string> {
  return requireSignedImages("demo", [name]).then(
    () => "",
    (error: Error) => error.message,
  );
}

describe("images that a key signed", () => {
  beforeAll(byKey);

  test.each(["old", "bundle", "message"] as const)("pass in the form %s, pinned to the digest", async (form) => {
    const { name, image } = await signed(key, form);
    expect(await pin(name)).toBe(`${name}@${image.digest}`);
    expect(await pin(`${name}@${image.digest}`)).toBe(`${name}@${image.digest}`);
  });

  test.each(["rsa", "ed25519"] as const)("pass by a key of the kind %s", async (kind) => {
    const other = keySigner(kind);
    await trust({ public_key: other.publicKey });
    for (const form of ["old", "bundle"] as const) {
      const { name, image } = await signed(other, form);
      expect(await pin(name)).toBe(`${name}@${image.digest}`);
    }
    await byKey();
  });

  test("pass where one of several signatures is right", async () => {
    const made = await signed(keySigner(), "old");
    await signImage(push, { ...made, signer: key }, "bundle");
    expect(await pin(made.name)).toBe(`${made.name}@${made.image.digest}`);
  });

  test("are refused without a signature, with image and reason", async () => {
    const { name, image } = await pushed();
    expect(await refusal(name)).toBe(
      `image ${name} is refused: it has no signature (${image.digest}); sign it with the key of the project, then try again`,
    );
  });

  test.each(["old", "bundle", "message"] as const)("are refused by another key in the form %s", async (form) => {
    const { name } = await signed(keySigner(), form);
    expect(await refusal(name)).toContain(
      `image ${name} is refused: its signature is not valid: signature verification`,
    );
  });

  test.each(["old", "bundle"] as const)("are refused where another digest is signed in the form %s", async (form) => {
    const { name } = await signed(key, form, digestOf("another"));
    expect(await refusal(name)).toContain("its signature is not valid: it is of another image");
  });

  test("are refused where the signature of other bytes stands beside them", async () => {
    const [first, second] = [await signed(key, "message"), await pushed()];
    // The bundle of the first one, said to refer to the second.
    const stands = JSON.parse((await push.read(first.repository, first.image.digest.replace(":", "-"))) ?? "");
    const referrer = JSON.parse((await push.read(first.repository, stands.manifests[0].digest)) ?? "");
    const bundle = await fetch(
      `${slipway.runtime.registryAddress}/v2/${first.repository}/blobs/${referrer.layers[0].digest}`,
      { headers: { authorization: basicAuthorization(slipway.runtime.registryLogin) } },
    );
    const type = "application/vnd.dev.sigstore.bundle.v0.3+json";
    await push.blob(second.repository, Buffer.from("{}"));
    const layer = await push.blob(second.repository, Buffer.from(await bundle.arrayBuffer()), type);
    const moved = await push.manifest(second.repository, "", { ...referrer, layers: [layer], subject: second.image });
    const index = { ...stands, manifests: [{ ...moved, artifactType: type }] };
    await push.manifest(second.repository, second.image.digest.replace(":", "-"), index);
    expect(await refusal(second.name)).toContain("its signature is not valid");
  });

  test("are refused where somebody attests something and signs nothing", async () => {
    const { name } = await signed(key, "attestation");
    expect(await refusal(name)).toContain("it attests something about the image and is no signature of it");
  });

  test("are refused where the image is gone, its name is none, or its registry is away", async () => {
    const { name } = await pushed();
    expect(await refusal(`${name}2`)).toContain(`image ${name}2 is refused: its signatures cannot be read: `);
    expect(await refusal(`${name}2`)).toContain("is not there (404)");
    expect(await refusal("a b")).toContain(
      "image a b is refused: it is no name of an image; write host/repository:tag",
    );
    expect(await refusal("localhost:1/team/app:v1")).toContain("its signatures cannot be read");
  });

  test("are told of together, each once", async () => {
    const [one, two] = [await pushed(), await pushed()];
    const said = requireSignedImages("demo", [one.name, two.name, one.name]);
    await expect(said).rejects.toThrow(/^image \S+app-\d+:v1 is refused: [^;]+; .*; image \S+app-\d+:v1 is refused: /);
  });
});

describe("images that an identity signed", () => {
  beforeAll(() => byIdentity());

  test.each(["old", "bundle", "message"] as const)("pass in the form %s", async (form) => {
    const { name, image } = await signed(sigstore.signer(identity, issuer), form);
    expect(await refusal(name)).toBe("");
    expect(await pin(name)).toBe(`${name}@${image.digest}`);
  });

  test.each([
    [
      "of somebody else",
      "https://git.example.com/other/app/build.yml@refs/heads/main",
      issuer,
      /it is by .*other\/app/,
    ],
    ["of whoever the pattern would fit", `${identity}-and-more`, issuer, /it is by .*-and-more, not/],
    ["vouched for by another", identity, "https://other.example.com", /invalid certificate extension/],
  ])("are refused with one %s", async (_, who, by, said) => {
    for (const form of ["old", "bundle"] as const)
      expect(await refusal((await signed(sigstore.signer(who, by), form)).name)).toMatch(said);
  });

  test("are refused by a key, and by a Sigstore that nobody trusts here", async () => {
    expect(await refusal((await signed(key, "old")).name)).toContain("it is made with a key and names no identity");
    const foreign = (await startSigstore()).signer(identity, issuer);
    expect(await refusal((await signed(foreign, "bundle")).name)).toContain("its signature is not valid");
    await byIdentity({ trusted_root: "" });
    expect(await refusal((await signed(sigstore.signer(identity, issuer), "bundle")).name)).toContain(
      "its signature is not valid",
    );
    await byIdentity();
  });

  test("are refused where another digest is signed", async () => {
    const { name } = await signed(sigstore.signer(identity, issuer), "bundle", digestOf("another"));
    expect(await refusal(name)).toContain("it is of another image");
  });
});

describe("the setting", () => {
  const none = { certificate_identity: "", certificate_oidc_issuer: "", trusted_root: "" };

  test("is off until somebody says so, shows what was set, and asks no registry while it is off", async () => {
    const body = { project_key: "quiet", project_name: "Quiet", project_type: "yaml", is_public: false };
    await slipway.call("POST", "/openapi/projects/project", { body });
    const read = await slipway.call("GET", path.replace("demo", "quiet"));
    expect(read.json).toEqual({ enabled: false, public_key: "", ...none });
    await byKey();
    expect((await slipway.call("GET", path)).json).toEqual({ enabled: true, public_key: key.publicKey, ...none });
    const images = await requireSignedImages("quiet", ["localhost:1/app:v1"]);
    expect([...images]).toEqual([["localhost:1/app:v1", "localhost:1/app:v1"]]);
  });

  test.each([
    ["nobody to trust", { enabled: true }, "public_key", /is required when enabled is true/],
    ["what is no key", { enabled: true, public_key: "x" }, "public_key", /must be a public key in PEM/],
    ["what is neither on nor off", { enabled: "yes" }, "enabled", /must be true or false/],
    [
      "a key and an identity",
      { enabled: true, public_key: key.publicKey, certificate_identity: "a" },
      "public_key",
      /stands alone/,
    ],
    [
      "an identity of nobody",
      { enabled: true, certificate_identity: "a" },
      "certificate_oidc_issuer",
      /is required with/,
    ],
    [
      "anybody of an issuer",
      { enabled: true, certificate_oidc_issuer: "a" },
      "certificate_identity",
      /is required with/,
    ],
    [
      "an empty root",
      { enabled: true, certificate_identity: "a", certificate_oidc_issuer: "b", trusted_root: "{}" },
      "trusted_root",
      /must be a trusted_root.json/,
    ],
    [
      "a root that is no JSON",
      { enabled: true, certificate_identity: "a", certificate_oidc_issuer: "b", trusted_root: "no" },
      "trusted_root",
      /must be JSON/,
    ],
  ])("refuses %s", async (_, body, at, said) => {
    const { json, status } = await put(body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 400, extra: { problems: [{ in: "body", path: at }] } });
    expect(json.description).toMatch(said);
  });

  test("of a project that is not there is 404, and goes with its project", async () => {
    expect((await slipway.call("GET", path.replace("demo", "nobody"))).status).toBe(404);
    const body = { project_key: "goes", project_name: "Goes", project_type: "yaml", is_public: false };
    const own = path.replace("demo", "goes");
    await slipway.call("POST", "/openapi/projects/project", { body });
    await slipway.call("PUT", own, { body: { enabled: true, public_key: key.publicKey } });
    await slipway.call("DELETE", "/openapi/projects/project?projectKey=goes&isDelete=true");
    await slipway.call("POST", "/openapi/projects/project", { body });
    expect((await slipway.call("GET", own)).json).toMatchObject({ enabled: false, public_key: "" });
  });
});
