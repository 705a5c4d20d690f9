import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { startRegistry } from "../../../../infra/local/registry/start.ts";

export const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
export const INDEX = "application/vnd.oci.image.index.v1+json";
export const DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
export const DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json";

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-registry-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A registry of its own for one test. */
export async function registryForTest(credentials?: { username: string; password: string }) {
  const dataDir = await temporaryFolder();
  const log: string[] = [];
  const registry = await startRegistry({
    dataDir,
    log: (line) => log.push(line),
    ...(credentials ? { credentials } : {}),
  });
  onTestFinished(() => registry.close());
  return { ...registry, dataDir, log, at: client(registry.address) };
}

export type Send = (method: string, path: string, init?: RequestInit) => Promise<Response>;

/** Sends requests to an address; paths start with `/v2`. */
export function client(address: string): Send {
  return (method, path, init) => fetch(new URL(path, address), { ...init, method });
}

export function digestOf(content: string | Uint8Array, algorithm = "sha256"): string {
  return `${algorithm}:${createHash(algorithm).update(content).digest("hex")}`;
}

/** Pushes a blob with one POST; gives its descriptor. */
export async function pushBlob(at: Send, repository: string, content: string | Uint8Array<ArrayBuffer>) {
  const digest = digestOf(content);
  const response = await at("POST", `/v2/${repository}/blobs/uploads/?digest=${digest}`, { body: content });
  if (response.status !== 201) throw new Error(`push of a blob answered ${response.status}`);
  return { mediaType: "application/octet-stream", digest, size: Buffer.byteLength(content) };
}

/** An image manifest over one config and one layer, both pushed before; `more` is put into the manifest. */
export async function makeManifest(at: Send, repository: string, more: Record<string, unknown> = {}): Promise<string> {
  const config = {
    ...(await pushBlob(at, repository, "{}")),
    mediaType: "application/vnd.oci.image.config.v1+json",
  };
  const layers = [await pushBlob(at, repository, "layer")];
  return JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config, layers, ...more });
}

export function putManifest(at: Send, repository: string, reference: string, body: string, type = MANIFEST) {
  return at("PUT", `/v2/${repository}/manifests/${reference}`, { body, headers: { "content-type": type } });
}

/** Pushes an image and gives the digest of its manifest. */
export async function pushImage(at: Send, repository: string, tag: string, more: Record<string, unknown> = {}) {
  const body = await makeManifest(at, repository, more);
  const response = await putManifest(at, repository, tag, body);
  if (response.status !== 201) throw new Error(`push of a manifest answered ${response.status}`);
  return digestOf(body);
}

/** The codes of an error answer. */
export async function codesOf(response: Response): Promise<string[]> {
  const body = (await response.json()) as { errors: { code: string }[] };
  return body.errors.map(({ code }) => code);
}

/** Begins an upload and gives its address. */
export async function beginUpload(at: Send, repository: string): Promise<string> {
  const response = await at("POST", `/v2/${repository}/blobs/uploads/`);
  return response.headers.get("location") ?? "";
}
