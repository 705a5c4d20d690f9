import { execFile, execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { digestOf, MANIFEST, registryForTest, temporaryFolder } from "./registryHarness.ts";

/** The program of this name on the PATH, or another one. */
const SKOPEO = process.env.SKOPEO ?? "skopeo";
const version = skopeoVersion();
if (!version)
  console.warn("SKIPPED: no skopeo on this machine, so no real client pushes to and pulls from the registry");

function skopeoVersion(): string | undefined {
  try {
    return execFileSync(SKOPEO, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}

async function skopeo(...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(SKOPEO, ["--insecure-policy", ...words]);
  return stdout;
}

/** A tar archive of one file: one header block, the content padded to 512 bytes, two empty blocks. */
function tarOf(name: string, content: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write("0000644\x000000000\x000000000\0", 100);
  header.write(`${content.length.toString(8).padStart(11, "0")}\0${"0".repeat(11)}\0        0`, 124);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512 + 1024);
  body.write(content);
  return Buffer.concat([header, body]);
}

/** Writes an image of one layer for two architectures as an OCI layout and gives the digest of its index. */
async function writeImageLayout(folder: string): Promise<string> {
  await mkdir(join(folder, "blobs/sha256"), { recursive: true });
  const put = async (mediaType: string, content: Buffer | string) => {
    const digest = digestOf(content);
    await writeFile(join(folder, "blobs/sha256", digest.slice(7)), content);
    return { mediaType, digest, size: Buffer.byteLength(content) };
  };
  const manifests = [];
  for (const architecture of ["amd64", "arm64"]) {
    const tar = tarOf("hello.txt", `hello ${architecture} ${"x".repeat(50_000)}`);
    const layer = await put("application/vnd.oci.image.layer.v1.tar+gzip", gzipSync(tar));
    const rootfs = { type: "layers", diff_ids: [digestOf(tar)] };
    const config = JSON.stringify({ architecture, os: "linux", config: { Cmd: ["/hello"] }, rootfs });
    const image = {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: await put("application/vnd.oci.image.config.v1+json", config),
      layers: [layer],
    };
    manifests.push({ ...(await put(MANIFEST, JSON.stringify(image))), platform: { architecture, os: "linux" } });
  }
  const mediaType = "application/vnd.oci.image.index.v1+json";
  const index = await put(mediaType, JSON.stringify({ schemaVersion: 2, mediaType, manifests }));
  const named = { ...index, annotations: { "org.opencontainers.image.ref.name": "v1" } };
  await writeFile(join(folder, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [named] }));
  await writeFile(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  return index.digest;
}

describe.skipIf(!version)("skopeo", () => {
  test("pushes an image for two architectures and pulls the same one back, with a password", async () => {
    const { address } = await registryForTest({ username: "ci", password: "s3cret" });
    const image = `docker://${new URL(address).host}/team/hello`;
    const folder = await temporaryFolder();
    const digest = await writeImageLayout(join(folder, "made"));
    const push = ["copy", "--all", "--dest-tls-verify=false", `oci:${folder}/made:v1`, `${image}:v1`];
    await expect(skopeo(...push)).rejects.toThrow(/authentication required|unauthorized/i);
    await skopeo(...push, "--dest-creds=ci:s3cret");
    const pull = ["copy", "--all", "--src-tls-verify=false", "--src-creds=ci:s3cret", `${image}@${digest}`];
    await skopeo(...pull, `oci:${folder}/pulled:v1`);
    const pulled = JSON.parse(await readFile(join(folder, "pulled/index.json"), "utf8"));
    expect(pulled.manifests[0].digest).toBe(digest);
  });

  test("converts to Docker's format, copies inside of the registry, inspects, lists and deletes", async () => {
    const { address, at } = await registryForTest();
    const registry = `docker://${new URL(address).host}`;
    const folder = await temporaryFolder();
    await writeImageLayout(join(folder, "made"));
    const both = ["--src-tls-verify=false", "--dest-tls-verify=false"];
    const amd64 = ["--override-arch=amd64", "--override-os=linux"];
    await skopeo(...amd64, "copy", ...both, "--format=v2s2", `oci:${folder}/made:v1`, `${registry}/one:docker`);
    await skopeo(...amd64, "copy", ...both, `${registry}/one:docker`, `${registry}/two/copy:latest`);
    const inspected = JSON.parse(
      await skopeo(...amd64, "inspect", "--tls-verify=false", `${registry}/two/copy:latest`),
    );
    expect(inspected).toMatchObject({ Architecture: "amd64", RepoTags: ["latest"] });
    const head = await at("HEAD", "/v2/two/copy/manifests/latest");
    expect(head.headers.get("content-type")).toBe("application/vnd.docker.distribution.manifest.v2+json");
    expect(inspected.Digest).toBe(head.headers.get("docker-content-digest"));
    await skopeo("delete", "--tls-verify=false", `${registry}/two/copy:latest`);
    expect((await at("HEAD", "/v2/two/copy/manifests/latest")).status).toBe(404);
    expect((await at("HEAD", "/v2/one/manifests/docker")).status).toBe(200);
  });
});
