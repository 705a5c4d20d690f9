import { type Digest, digestOfBytes } from "../digest.ts";
import { contentHeaders, type Endpoint, type Exchange, isKnownToClient, send } from "../exchange.ts";
import { isTag } from "../grammar.ts";
import { type ManifestDocument, parseManifest } from "../manifestDocument.ts";
import { RegistryError } from "../registryError.ts";
import { requireDigest } from "./blobs.ts";

/** GET and HEAD of a manifest by tag or digest: the bytes and the media type that were pushed. */
export const getManifest: Endpoint = async (exchange, name, reference) => {
  const { manifests } = exchange.store;
  const digest = isDigest(reference) ? requireDigest(reference) : await resolve(exchange, name, reference);
  const manifest = digest && (await manifests.find(name, digest));
  if (!manifest) throw manifestUnknown(reference);
  const headers = { ...contentHeaders(digest.text), "content-type": manifest.mediaType };
  if (isKnownToClient(exchange, digest.text)) return send(exchange, 304, headers);
  send(exchange, 200, headers, manifest.bytes);
};

/** PUT: takes a manifest whose parts are all in the repository, under its digest and, if asked, a tag. */
export const putManifest: Endpoint = async (exchange, name, reference) => {
  const { request, store, limits } = exchange;
  const wanted = isDigest(reference) ? requireDigest(reference) : undefined;
  if (!wanted && !isTag(reference)) {
    throw new RegistryError("MANIFEST_INVALID", "invalid tag", { details: [{ tag: reference }] });
  }
  const bytes = await readManifest(exchange, limits.manifestBytes);
  const digest = digestOfBytes(bytes, wanted?.algorithm ?? "sha256");
  if (wanted && wanted.text !== digest.text) {
    throw new RegistryError("DIGEST_INVALID", "provided digest did not match uploaded content", {
      details: [{ digest: wanted.text, actual: digest.text }],
    });
  }
  const document = parseManifest(bytes, request.headers["content-type"]);
  await requireReferences(exchange, name, document);
  await store.manifests.put(name, digest, bytes, document, wanted ? undefined : reference);
  send(exchange, 201, {
    ...contentHeaders(digest.text),
    location: `/v2/${name}/manifests/${digest.text}`,
    ...(document.subject ? { "oci-subject": document.subject.text } : {}),
  });
};

/** DELETE: by tag only the tag goes, by digest the manifest and every tag that names it. */
export const deleteManifest: Endpoint = async (exchange, name, reference) => {
  const { manifests } = exchange.store;
  const removed = isDigest(reference)
    ? await manifests.remove(name, requireDigest(reference))
    : isTag(reference) && (await manifests.removeTag(name, reference));
  if (!removed) throw manifestUnknown(reference);
  send(exchange, 202, {});
};

/** No tag has a colon, every digest has one. */
function isDigest(reference: string): boolean {
  return reference.includes(":");
}

async function resolve({ store }: Exchange, name: string, tag: string): Promise<Digest | undefined> {
  return isTag(tag) ? store.manifests.resolveTag(name, tag) : undefined;
}

async function requireReferences({ store }: Exchange, name: string, document: ManifestDocument): Promise<void> {
  const missing: Digest[] = [];
  for (const digest of document.references) {
    // The entries of an index are manifests, in build caches also blobs.
    const there = (await store.blobs.find(name, digest)) ?? (await store.manifests.has(name, digest));
    if (!there) missing.push(digest);
  }
  if (missing.length === 0) return;
  throw new RegistryError("MANIFEST_BLOB_UNKNOWN", "manifest references a manifest or blob unknown to registry", {
    details: missing.map(({ text }) => ({ digest: text })),
  });
}

async function readManifest({ request }: Exchange, limitBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  // Leaving the loop early must not destroy the request, whose connection still has to carry the refusal.
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = piece;
    sizeBytes += bytes.length;
    if (sizeBytes > limitBytes) {
      throw new RegistryError("SIZE_INVALID", `a manifest has at most ${limitBytes} bytes`, { status: 413 });
    }
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

function manifestUnknown(reference: string): RegistryError {
  return new RegistryError("MANIFEST_UNKNOWN", "manifest unknown to registry", { details: [{ reference }] });
}
