import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { basicAuthorization } from "../../infra/local/registry/basicAuth.ts";
import { DEFAULT_LIMITS } from "../../infra/local/registry/limits.ts";
import { createListener } from "../../infra/local/registry/listener.ts";
import { openStore } from "../../infra/local/registry/store/openStore.ts";
import type { Runtime } from "../../infra/local/runtime.ts";
import { parseOutboundPolicy } from "../../shared/base/settings/outboundPolicy.ts";
import type { RegistryAccess } from "../../shared/packaging/images/registryAccess.ts";

/** Answers a request in the registry's place, or leaves it to the registry by `false`. */
export type Trouble = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

export interface TestRegistry {
  /** `127.0.0.1:port`. */
  address: string;
  access: RegistryAccess;
  /** `METHOD /path` of all requests since it was cleared, without the names of uploads. */
  requests: string[];
  /** Most requests that were answered at the same time. */
  peak(): number;
  /** What the registry does instead of its duty; asked for each request. */
  trouble: Trouble | undefined;
  close(): Promise<void>;
}

export interface TestRegistryOptions {
  credentials?: { username: string; password: string };
  tls?: { key: string; cert: string };
}

/** The local registry with a door that counts, and that can misbehave on order. */
export async function startTestRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const dataDir = await mkdtemp(join(tmpdir(), "slipway-images-"));
  const log = () => undefined;
  const store = await openStore(dataDir, DEFAULT_LIMITS, log);
  const { credentials, tls } = options;
  const listener = createListener({ store, limits: DEFAULT_LIMITS, log, ...(credentials && { credentials }) });
  const running = await startDoor(listener, tls);
  const { close } = running;
  running.close = async () => {
    await close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return running;
}

/** A door of its own before a registry. */
export async function startDoor(listener: RequestListener, tls?: { key: string; cert: string }): Promise<TestRegistry> {
  let now = 0;
  let most = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    now++;
    most = Math.max(most, now);
    response.once("close", () => now--);
    door.requests.push(`${request.method} ${plainPath(request.url ?? "")}`);
    if (door.trouble !== undefined && (await door.trouble(request, response))) return;
    listener(request, response);
  };
  const server: Server = tls ? createTlsServer(tls, answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const door: TestRegistry = {
    address,
    access: accessTo(address, { scheme: tls ? "https:" : "http:" }),
    requests: [],
    peak: () => most,
    trouble: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return door;
}

/** Names of uploads differ from run to run. */
const plainPath = (url: string): string => url.replace(/(blobs\/uploads\/)[^/?]+/, "$1…");

/** Access to a registry of the tests on loopback. */
export function accessTo(address: string, more: Partial<RegistryAccess> = {}): RegistryAccess {
  return {
    id: address,
    address,
    scheme: "http:",
    namespace: "",
    rule: parseOutboundPolicy("127.0.0.0/8"),
    elsewhere: parseOutboundPolicy("127.0.0.0/8"),
    tls: {},
    login: async () => undefined,
    ...more,
  };
}

/** The place of an image in a registry of the tests: `127.0.0.1:port/repository:tag`. */
export function placeIn(image: string) {
  const [, address = "", repository = "", reference = ""] = /^([^/]+)\/(.+):([^:]+)$/.exec(image) ?? [];
  return { registry: accessTo(address), repository, reference };
}

export const ociManifest = "application/vnd.oci.image.manifest.v1+json";
export const ociIndex = "application/vnd.oci.image.index.v1+json";

export function digestOf(content: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

export interface Pushed {
  mediaType: string;
  digest: string;
  size: number;
  [more: string]: unknown;
}

/** Writes straight to the registry of a Slipway, with its login. */
export function pusherTo({ registryAddress, registryLogin }: Pick<Runtime, "registryAddress" | "registryLogin">) {
  return pusher(new URL(registryAddress).host, { authorization: basicAuthorization(registryLogin) });
}

/** Writes straight to a registry, as other programs do. */
export function pusher(address: string, headers: Record<string, string> = {}) {
  const at = (path: string) => `http://${address}/v2/${path}`;
  const send = async (method: string, url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, { ...init, method, headers: { ...headers, ...init.headers } });
    if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
    return answer;
  };

  async function blob(repository: string, content: Buffer, mediaType = "application/octet-stream"): Promise<Pushed> {
    const digest = digestOf(content);
    const begun = await send("POST", at(`${repository}/blobs/uploads/`));
    const place = new URL(begun.headers.get("location") ?? "", at(""));
    place.searchParams.set("digest", digest);
    const type = { "content-type": "application/octet-stream" };
    await send("PUT", place.href, { body: new Uint8Array(content), headers: type });
    return { mediaType, digest, size: content.length };
  }

  async function manifest(repository: string, reference: string, document: object): Promise<Pushed> {
    const body = JSON.stringify(document);
    const { mediaType } = document as { mediaType: string };
    const digest = digestOf(body);
    const path = at(`${repository}/manifests/${reference === "" ? digest : reference}`);
    await send("PUT", path, { body, headers: { "content-type": mediaType } });
    return { mediaType, digest, size: body.length };
  }

  return {
    blob,
    manifest,
    /** An image whose layers have these sizes, or are these bytes. */
    async image(
      repository: string,
      reference: string,
      { layers = [1000], architecture = "amd64", more = {} }: ImageShape = {},
    ): Promise<Pushed> {
      const config = Buffer.from(JSON.stringify({ os: "linux", architecture, salt: randomBytes(8).toString("hex") }));
      return manifest(repository, reference, {
        schemaVersion: 2,
        mediaType: ociManifest,
        config: await blob(repository, config, "application/vnd.oci.image.config.v1+json"),
        layers: await Promise.all(
          layers.map((layer) =>
            blob(
              repository,
              typeof layer === "number" ? randomBytes(layer) : layer,
              "application/vnd.oci.image.layer.v1.tar+gzip",
            ),
          ),
        ),
        ...more,
      });
    },
    /** An index of images for some architectures. */
    async index(repository: string, reference: string, architectures: readonly string[]): Promise<Pushed> {
      const manifests = [];
      for (const architecture of architectures)
        manifests.push({
          ...(await this.image(repository, "", { architecture })),
          platform: { os: "linux", architecture },
        });
      return manifest(repository, reference, { schemaVersion: 2, mediaType: ociIndex, manifests });
    },
    /** The bytes of a manifest, as they stand there; undefined when there is none. */
    async read(repository: string, reference: string): Promise<string | undefined> {
      const accept = { accept: [ociManifest, ociIndex, "application/vnd.docker.distribution.manifest.v2+json"].join() };
      const answer = await fetch(at(`${repository}/manifests/${reference}`), { headers: { ...headers, ...accept } });
      return answer.ok ? answer.text() : undefined;
    },
    async hasBlob(repository: string, digest: string): Promise<boolean> {
      return (await fetch(at(`${repository}/blobs/${digest}`), { method: "HEAD", headers })).ok;
    },
  };
}

interface ImageShape {
  layers?: readonly (number | Buffer)[];
  architecture?: string;
  more?: object;
}
