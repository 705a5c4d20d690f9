import type { IncomingMessage } from "node:http";
import { ImageProblem } from "../imageProblem.ts";
import type { BlobSource } from "../readBlob.ts";
import { Broken, type LineRequest, type RegistryLine } from "../registryLine.ts";
import type { Descriptor } from "../rules/manifest.ts";
import { openBlobReader, readWholeBlob, WrongDigest } from "./blobReader.ts";
import type { UploadNotes } from "./uploadNotes.ts";

/** Where a blob goes. */
export interface BlobTarget {
  line: RegistryLine;
  repository: string;
  /** Whether the registry takes a blob with the POST that begins its upload; undefined: not known yet. */
  takesWhole: { known?: boolean };
}

export interface UploadOptions {
  /** Larger blobs go in chunks of this size, so that a cut costs one of them. */
  chunkBytes: number;
  /** Told after every chunk that the target confirmed. */
  confirmed: (bytes: number) => void;
  /** Told of an upload that is gone on with: the target has so many bytes of an earlier process. */
  wasThere: (bytes: number) => void;
  /** What an earlier process began in chunks is gone on with. */
  notes?: UploadNotes | undefined;
  /** No chunk is started after it was aborted: the upload can be continued from what is sent by then. */
  pausing?: AbortSignal | undefined;
}

/** A body that is sent although the registry may not want it yet. */
const smallBytes = 131_072;
const maxRestarts = 3;
/** Answers to a body that was not wanted with the POST. */
const noWhole = [400, 404, 405, 411, 413, 415, 501];

/**
 * Sends a blob that the target does not have.
 * @param begun an upload that the target has started already, after a mount that it did not do
 * @throws ImageProblem
 */
export async function copyBlob(
  source: BlobSource,
  target: BlobTarget,
  blob: Descriptor,
  options: UploadOptions,
  begun?: URL,
): Promise<void> {
  let inChunks = blob.size > options.chunkBytes;
  let upload = begun;
  for (let restarts = 0; ; restarts++) {
    try {
      if (blob.size <= smallBytes) await sendSmall(source, target, blob, upload);
      else if (inChunks) await sendChunks(source, target, blob, options, { begun: upload, isFirst: restarts === 0 });
      else await sendStream(source, target, blob, upload);
      if (!inChunks) options.confirmed(blob.size);
      return;
    } catch (error) {
      const isWrong = error instanceof WrongDigest;
      // Bytes that went wrong on the way come right the second time.
      if (!(error instanceof Broken || error instanceof NoChunks || isWrong)) throw error;
      if (restarts >= (isWrong ? 1 : maxRestarts)) throw error instanceof Broken ? error.problem : error;
      if (error instanceof NoChunks) inChunks = false;
      upload = undefined;
    }
  }
}

/** The target does not take this chunk: not in chunks, or not in this upload. */
class NoChunks extends ImageProblem {}

async function sendSmall(source: BlobSource, target: BlobTarget, blob: Descriptor, begun?: URL): Promise<void> {
  await sendBytes(target, blob, await readWholeBlob(source, blob), begun);
}

async function sendBytes(target: BlobTarget, blob: Descriptor, body: Buffer, begun?: URL): Promise<void> {
  const upload = begun ?? (await begin(target, blob, body));
  if (upload !== undefined) await finish(target, upload, blob, body);
}

/** Sends a blob that comes from no registry, unless the target has it. @throws ImageProblem */
export async function putBlob(target: BlobTarget, blob: Descriptor, body: Buffer): Promise<void> {
  if (await hasBlob(target, blob)) return;
  for (let restarts = 0; ; restarts++) {
    try {
      return await sendBytes(target, blob, body);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      if (restarts >= maxRestarts) throw error.problem;
    }
  }
}

/** @returns where the upload goes on; undefined when the registry has taken the blob already */
async function begin(target: BlobTarget, blob: Descriptor, body?: Buffer): Promise<URL | undefined> {
  const whole = target.takesWhole.known === false ? undefined : body;
  const request: LineRequest = {
    ...toTarget(target, blob),
    method: "POST",
    to: `blobs/uploads/${whole === undefined ? "" : `?digest=${blob.digest}`}`,
    headers: whole === undefined ? { "content-length": "0" } : octets,
    body: whole,
  };
  const answer = await target.line.send(request);
  if (answer.statusCode === 201) {
    target.takesWhole.known = true;
    answer.resume();
    return undefined;
  }
  if (whole !== undefined && noWhole.includes(answer.statusCode ?? 0)) {
    answer.resume();
    target.takesWhole.known = false;
    return begin(target, blob);
  }
  if (answer.statusCode !== 202) throw await target.line.explain(answer, request);
  if (whole !== undefined) target.takesWhole.known = false;
  return uploadPlace(target, answer, request);
}

async function sendStream(source: BlobSource, target: BlobTarget, blob: Descriptor, begun?: URL): Promise<void> {
  const upload = begun ?? (await begin(target, blob));
  if (upload === undefined) return;
  const reader = openBlobReader(source, blob);
  try {
    await finish(target, upload, blob, reader.take(blob.size));
  } finally {
    await reader.close();
  }
}

async function finish(target: BlobTarget, upload: URL, blob: Descriptor, body: Buffer | AsyncIterable<Buffer>) {
  const place = new URL(upload);
  place.searchParams.set("digest", blob.digest);
  const length = Buffer.isBuffer(body) ? body.length : blob.size;
  const headers = { ...octets, "content-length": String(length) };
  const request: LineRequest = { ...toTarget(target, blob), method: "PUT", to: place, headers, body };
  const answer = await target.line.send(request);
  // The upload is unknown: another try of the same request has ended it, or the registry has lost it.
  if (answer.statusCode === 404) {
    answer.resume();
    if (await hasBlob(target, blob)) return;
    throw new Broken(lost(target, blob));
  }
  if (answer.statusCode !== 201) throw await target.line.explain(answer, request);
  answer.resume();
}

/** @throws the reason of `pausing` between two chunks */
async function sendChunks(
  source: BlobSource,
  target: BlobTarget,
  blob: Descriptor,
  { chunkBytes, confirmed, wasThere, notes, pausing }: UploadOptions,
  { begun, isFirst }: { begun: URL | undefined; isFirst: boolean },
): Promise<void> {
  const name = `${target.line.access.id} ${target.repository} ${blob.digest}`;
  const left = isFirst ? await leftUpload(target, blob, await notes?.find(name)) : undefined;
  let upload = left?.upload ?? begun ?? (await begin(target, blob));
  if (upload === undefined) return;
  let offset = left?.offset ?? 0;
  let isTold = offset;
  wasThere(offset);
  const reader = openBlobReader(source, blob, offset);
  try {
    for (let failures = 0; offset < blob.size; ) {
      pausing?.throwIfAborted();
      const end = Math.min(offset + chunkBytes, blob.size);
      reader.mark();
      try {
        const sent = await sendChunk(target, upload, blob, { start: offset, end, body: reader.take(end - offset) });
        [upload, offset, failures] = [sent, end, 0];
        await notes?.note(name, upload.href);
      } catch (error) {
        if (!(error instanceof Broken) || ++failures > maxRestarts) throw error;
        const stands = await uploadStatus(target, upload, blob);
        if (stands === undefined || stands.offset < offset || stands.offset > end) throw error;
        upload = stands.upload;
        await reader.backTo(stands.offset);
        offset = stands.offset;
      }
      if (offset > isTold) confirmed(offset - isTold);
      isTold = Math.max(offset, isTold);
    }
    await finish(target, upload, blob, Buffer.alloc(0));
  } catch (error) {
    // What an earlier process sent may not be what the digest names: then the blob begins again.
    if (left === undefined || !(error instanceof ImageProblem)) throw error;
    throw error instanceof NoChunks || (offset === blob.size && !error.retryable) ? new Broken(error) : error;
  } finally {
    await reader.close();
  }
  await notes?.note(name, undefined);
}

/** An upload that an earlier process began, if the target still knows it. */
async function leftUpload(target: BlobTarget, blob: Descriptor, place: string | undefined) {
  const upload = place === undefined ? null : URL.parse(place);
  const stands = upload === null ? undefined : await uploadStatus(target, upload, blob);
  return stands !== undefined && stands.offset <= blob.size ? stands : undefined;
}

async function sendChunk(
  target: BlobTarget,
  upload: URL,
  blob: Descriptor,
  { start, end, body }: { start: number; end: number; body: AsyncIterable<Buffer> },
): Promise<URL> {
  const headers = {
    ...octets,
    "content-length": String(end - start),
    "content-range": `${start}-${end - 1}`,
  };
  const request: LineRequest = { ...toTarget(target, blob), method: "PATCH", to: upload, headers, body };
  const answer = await target.line.send(request);
  if (answer.statusCode === 202) return uploadPlace(target, answer, request);
  if ([400, 404, 405, 416, 501].includes(answer.statusCode ?? 0)) {
    const { message } = await target.line.explain(answer, request);
    throw new NoChunks(message, { retryable: true });
  }
  throw await target.line.explain(answer, request);
}

/** How far the target is with an upload; undefined when it no longer knows the upload. */
async function uploadStatus(target: BlobTarget, upload: URL, blob: Descriptor) {
  const request: LineRequest = { ...toTarget(target, blob), method: "GET", to: upload };
  const answer = await target.line.send(request);
  answer.resume();
  if (answer.statusCode !== 204 && answer.statusCode !== 202) return undefined;
  const last = /^(?:bytes=)?0-(\d{1,15})$/.exec(String(answer.headers.range ?? ""))?.[1];
  if (last === undefined) return undefined;
  // An upload without any bytes answers 0-0, as one with a single byte does.
  return { offset: last === "0" ? 0 : Number(last) + 1, upload: uploadPlace(target, answer, request) };
}

export async function hasBlob(target: Pick<BlobTarget, "line" | "repository">, blob: Descriptor): Promise<boolean> {
  const request: LineRequest = { ...toTarget(target, blob), method: "HEAD", to: `blobs/${blob.digest}` };
  const answer = await target.line.send(request);
  answer.resume();
  if (answer.statusCode === 200) return true;
  if (answer.statusCode === 404) return false;
  throw await target.line.explain(answer, request);
}

/**
 * Asks the target to take a blob from another of its repositories.
 * @returns whether it did, or the upload that it began in its place
 */
export async function mountBlob(target: BlobTarget, blob: Descriptor, from: string): Promise<boolean | URL> {
  const request: LineRequest = {
    ...toTarget(target, blob),
    method: "POST",
    to: `blobs/uploads/?mount=${blob.digest}&from=${encodeURIComponent(from)}`,
    headers: { "content-length": "0" },
    mountsFrom: from,
  };
  const answer = await target.line.send(request);
  answer.resume();
  if (answer.statusCode === 201) return true;
  return answer.statusCode === 202 ? uploadPlace(target, answer, request) : false;
}

const octets = { "content-type": "application/octet-stream" };

function toTarget({ repository }: Pick<BlobTarget, "repository">, { digest }: Descriptor) {
  return { repository, writes: true, about: digest } as const;
}

/** Where an upload goes on; a registry behind a proxy that takes TLS away names itself with http. */
function uploadPlace({ line }: BlobTarget, answer: IncomingMessage, { to, repository }: LineRequest): URL {
  answer.resume();
  const { scheme, address } = line.access;
  const base = typeof to === "string" ? `${scheme}//${address}/v2/${repository}/${to}` : to.href;
  const place = URL.parse(answer.headers.location ?? "", base);
  if (place === null || !/^https?:$/.test(place.protocol))
    throw new ImageProblem(
      `${address}/${repository}: the registry does not say where an upload goes; ask its operator`,
      {
        retryable: false,
      },
    );
  if (place.hostname === new URL(`${scheme}//${address}`).hostname && scheme === "https:" && place.protocol === "http:")
    return new URL(`${scheme}//${address}${place.pathname}${place.search}`);
  return place;
}

function lost({ line, repository }: BlobTarget, { digest }: Descriptor): ImageProblem {
  const text = `${line.access.address}/${repository} (${digest}): the registry lost the upload; try again later`;
  return new ImageProblem(text, { retryable: true });
}
