import { readWholeBlob } from "../copy/blobReader.ts";
import { fallbackTag, listReferrers } from "../listReferrers.ts";
import type { BlobSource } from "../readBlob.ts";
import { findManifest } from "../readManifest.ts";
import type { Descriptor } from "../rules/manifest.ts";
import { settled } from "../settled.ts";
import { inSlot } from "../slots.ts";
import { manifestOf } from "../sourceImage.ts";

/** A signature as a registry has it; nothing of it is proven. */
export type FoundSignature =
  /** Below the tag `sha256-<hex>.sig`: what was signed, and annotations with the signature and what goes with it. */
  | { kind: "payload"; payload: Buffer; annotations: Readonly<Record<string, string>> }
  /** A Sigstore bundle that refers to the image, as JSON. */
  | { kind: "bundle"; text: string };

/** More signatures of an image than that are not looked at. */
const maxSignatures = 50;
const maxSignatureBytes = 1024 ** 2;
const payloadType = "application/vnd.dev.cosign.simplesigning.v1+json";
const bundleType = /^application\/vnd\.dev\.sigstore\.bundle(\.v0\.\d+)?\+json/;

/** All signatures of a manifest that its repository has. @throws ImageProblem */
export async function readSignatures(source: BlobSource, digest: string): Promise<FoundSignature[]> {
  const [tagged, referring] = await settled([() => readTagged(source, digest), () => readReferring(source, digest)]);
  return [...(tagged ?? []), ...(referring ?? [])];
}

async function readTagged(source: BlobSource, digest: string): Promise<FoundSignature[]> {
  const reference = `${fallbackTag(digest)}.sig`;
  const manifest = await inSlot(source.line, () => findManifest({ ...source, reference }));
  // The same payload may be signed by several; the list of blobs has each blob once.
  const { layers = [] } = JSON.parse(manifest?.bytes.toString("utf8") ?? "{}") as { layers?: Descriptor[] | null };
  const signed = (layers ?? []).filter(({ mediaType, size }) => mediaType === payloadType && size <= maxSignatureBytes);
  return settled(
    signed.slice(0, maxSignatures).map((layer) => async () => ({
      kind: "payload" as const,
      payload: await inSlot(source.line, () => readWholeBlob(source, layer)),
      annotations: layer.annotations ?? {},
    })),
  );
}

async function readReferring(source: BlobSource, digest: string): Promise<FoundSignature[]> {
  const referrers = await listReferrers(source, digest);
  const bundles = referrers.filter(({ artifactType = "" }) => artifactType === "" || bundleType.test(artifactType));
  const found = await settled(
    bundles.slice(0, maxSignatures).map((referrer) => () => readBundles(source, referrer.digest)),
  );
  return found.flat();
}

async function readBundles(source: BlobSource, digest: string): Promise<FoundSignature[]> {
  const { blobs } = await manifestOf(source, digest);
  const bundles = blobs.filter(({ mediaType, size }) => bundleType.test(mediaType) && size <= maxSignatureBytes);
  return settled(
    bundles.map((blob) => async () => {
      const bytes = await inSlot(source.line, () => readWholeBlob(source, blob));
      return { kind: "bundle" as const, text: bytes.toString("utf8") };
    }),
  );
}
