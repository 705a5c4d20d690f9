import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";

interface Descriptor {
  mediaType: string;
  size: number;
  digest: string;
}

interface Manifest {
  schemaVersion: number;
  mediaType: string;
  config: Descriptor;
  layers: Descriptor[];
}

interface Config {
  rootfs: { diff_ids: string[] };
}

const manifestType = "application/vnd.docker.distribution.manifest.v2+json";

/**
 * Pushes an image to a registry of the tests (plain HTTP): what `from` is, with one more file. Both names are
 * `repository:tag` of that registry.
 */
export async function pushImageWithFile(
  registry: string,
  { from, to, file, content }: { from: string; to: string; file: string; content: string },
): Promise<void> {
  const [base = "", baseTag = ""] = from.split(":");
  const [repository = "", tag = ""] = to.split(":");
  const at = (name: string, rest: string) => `http://${registry}/v2/${name}/${rest}`;
  const manifest: Manifest = JSON.parse(
    await (await ok(at(base, `manifests/${baseTag}`), { headers: { accept: manifestType } })).text(),
  );
  const config: Config = JSON.parse(await (await ok(at(base, `blobs/${manifest.config.digest}`))).text());
  const layer = tarOf(file, content);
  const packed = gzipSync(layer);
  config.rootfs.diff_ids.push(digestOf(gunzipSync(packed)));
  const newConfig = Buffer.from(JSON.stringify(config));
  const blobs = [newConfig, packed];
  if (repository !== base)
    for (const { digest } of manifest.layers)
      blobs.push(Buffer.from(await (await ok(at(base, `blobs/${digest}`))).arrayBuffer()));
  for (const blob of blobs) await pushBlob(at(repository, "blobs/uploads/"), blob);
  const layerType = manifest.layers[0]?.mediaType ?? "application/vnd.docker.image.rootfs.diff.tar.gzip";
  const body: Manifest = {
    ...manifest,
    config: { ...manifest.config, size: newConfig.length, digest: digestOf(newConfig) },
    layers: [...manifest.layers, { mediaType: layerType, size: packed.length, digest: digestOf(packed) }],
  };
  const headers = { "content-type": manifestType };
  await ok(at(repository, `manifests/${tag}`), { method: "PUT", headers, body: JSON.stringify(body) });
}

async function pushBlob(uploads: string, blob: Buffer): Promise<void> {
  const begun = await ok(uploads, { method: "POST" });
  const place = new URL(begun.headers.get("location") ?? "", uploads);
  place.searchParams.set("digest", digestOf(blob));
  const headers = { "content-type": "application/octet-stream" };
  await ok(place.href, { method: "PUT", headers, body: new Uint8Array(blob) });
}

async function ok(url: string, options?: RequestInit): Promise<Response> {
  const answer = await fetch(url, options);
  if (!answer.ok) throw new Error(`${options?.method ?? "GET"} ${url}: ${answer.status} ${await answer.text()}`);
  return answer;
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A tar archive of one file (POSIX ustar). */
function tarOf(name: string, content: string): Buffer {
  const body = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${body.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\0", 257);
  header.write("00", 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const padding = Buffer.alloc((512 - (body.length % 512)) % 512);
  return Buffer.concat([header, body, padding, Buffer.alloc(1024)]);
}
