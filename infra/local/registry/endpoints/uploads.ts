import { parseDigest } from "../digest.ts";
import { contentHeaders, type Endpoint, type Exchange, send } from "../exchange.ts";
import { isRepositoryName } from "../grammar.ts";
import { RegistryError } from "../registryError.ts";
import { type Chunk, uploadHeaders } from "../store/uploads.ts";
import { requireDigest } from "./blobs.ts";

/** POST: mounts a blob of another repository, takes a whole blob (`digest`), or begins an upload. */
export const beginUpload: Endpoint = async (exchange, name) => {
  const { query, store } = exchange;
  const mount = parseDigest(query.get("mount") ?? "");
  const from = query.get("from") ?? "";
  if (mount && isRepositoryName(from) && (await store.blobs.mount(name, mount, from))) {
    return sendCreated(exchange, name, mount.text);
  }
  if (query.has("digest")) return takeWholeBlob(exchange, name);
  // A mount that is not possible goes on as an ordinary upload, as the specification asks.
  send(exchange, 202, uploadHeaders(await store.uploads.begin(name)));
};

async function takeWholeBlob(exchange: Exchange, name: string): Promise<void> {
  const { uploads } = exchange.store;
  const digest = requireDigest(exchange.query.get("digest"));
  const { id } = await uploads.begin(name);
  try {
    await uploads.complete(name, id, readChunk(exchange), digest);
  } catch (error) {
    // The client never learned of this upload, so nothing else would end it.
    await uploads.cancel(name, id).catch(() => undefined);
    throw error;
  }
  sendCreated(exchange, name, digest.text);
}

export const getUploadStatus: Endpoint = async (exchange, name, id) => {
  send(exchange, 204, uploadHeaders(await exchange.store.uploads.status(name, id)));
};

/** PATCH: the next chunk, or with no `Content-Range` the rest as a stream. */
export const appendToUpload: Endpoint = async (exchange, name, id) => {
  send(exchange, 202, uploadHeaders(await exchange.store.uploads.append(name, id, readChunk(exchange))));
};

/** PUT: the last chunk if there is one, and the digest that the whole must have. */
export const completeUpload: Endpoint = async (exchange, name, id) => {
  const digest = requireDigest(exchange.query.get("digest"));
  await exchange.store.uploads.complete(name, id, readChunk(exchange), digest);
  sendCreated(exchange, name, digest.text);
};

export const cancelUpload: Endpoint = async (exchange, name, id) => {
  await exchange.store.uploads.cancel(name, id);
  send(exchange, 204, {});
};

function sendCreated(exchange: Exchange, name: string, digest: string): void {
  send(exchange, 201, { ...contentHeaders(digest), location: `/v2/${name}/blobs/${digest}` });
}

function readChunk({ request }: Exchange): Chunk {
  const lengthBytes = Number(request.headers["content-length"] ?? 0);
  const header = request.headers["content-range"];
  if (header === undefined) return { body: request, lengthBytes };
  const [, start, end] = /^([0-9]{1,15})-([0-9]{1,15})$/.exec(header) ?? [];
  if (start === undefined || end === undefined || Number(end) < Number(start)) {
    throw new RegistryError("BLOB_UPLOAD_INVALID", "Content-Range must be <first byte>-<last byte>", { status: 416 });
  }
  return { body: request, lengthBytes, range: { start: Number(start), end: Number(end) } };
}
