import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { digestOf, ociManifest } from "./testRegistry.ts";

export interface GeneratedRegistry {
  /** `127.0.0.1:port`. */
  address: string;
  /** Bytes of layers that were written to it. */
  received(): number;
  close(): Promise<void>;
}

const block = Buffer.alloc(1024 ** 2, "a block of a layer that stands nowhere ");

/**
 * A registry with one image of one layer of any size that is made while it is read (`made/layer:v1`), and that counts and
 * forgets what is written to it. Nothing of it is on disk or in memory.
 */
export async function startGeneratedRegistry(megabytes: number): Promise<GeneratedRegistry> {
  const hash = createHash("sha256");
  for (let at = 0; at < megabytes; at++) hash.update(block);
  const layer = { digest: `sha256:${hash.digest("hex")}`, size: megabytes * block.length };
  const config = Buffer.from('{"os":"linux","architecture":"amd64"}');
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: ociManifest,
    config: { mediaType: "application/vnd.oci.image.config.v1+json", digest: digestOf(config), size: config.length },
    layers: [{ mediaType: "application/vnd.oci.image.layer.v1.tar", ...layer }],
  });
  let received = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "" } = request;
    for await (const part of request) if (!url.includes("/manifests/")) received += (part as Buffer).length;
    const end = (status: number, headers: Record<string, string | number> = {}, body: string | Buffer = "") =>
      void response.writeHead(status, headers).end(body);
    if (method === "POST" || method === "PATCH") return end(202, { location: "/v2/any/blobs/uploads/one" });
    if (method === "PUT") return end(201);
    if (method !== "GET") return end(404);
    if (url === "/v2/made/layer/manifests/v1") return end(200, { "content-type": ociManifest }, manifest);
    if (url.endsWith(digestOf(config))) return end(200, {}, config);
    if (!url.endsWith(layer.digest)) return end(404);
    response.writeHead(200, { "content-length": layer.size });
    await pipeline(Readable.from(blocks(megabytes)), response);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function* blocks(count: number): Generator<Buffer> {
  for (let at = 0; at < count; at++) yield block;
}
