import * as z from "zod";
import { parsedJson } from "../../../base/common/parsedJson.ts";
import { isDigest } from "./imageNames.ts";

/** Registries must take 4 MiB; a larger manifest is refused, so that it cannot fill our memory. */
export const maxManifestBytes = 4 * 1024 ** 2;

export const ociIndex = "application/vnd.oci.image.index.v1+json";
export const ociManifest = "application/vnd.oci.image.manifest.v1+json";
const dockerList = "application/vnd.docker.distribution.manifest.list.v2+json";
const dockerManifest = "application/vnd.docker.distribution.manifest.v2+json";

/** What a registry is told that we understand. */
export const manifestTypes = [ociIndex, ociManifest, dockerList, dockerManifest];

const platform = z.looseObject({ os: z.string(), architecture: z.string(), variant: z.string().optional() });
const descriptor = z.looseObject({
  mediaType: z.string().min(1),
  digest: z.string().refine(isDigest, "must be a sha256 or sha512 digest"),
  size: z.int().nonnegative(),
  urls: z.array(z.string()).nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
  artifactType: z.string().optional(),
  platform: platform.nullish(),
});

export type Descriptor = z.infer<typeof descriptor>;

/** Programs in Go write an empty list as null. */
const descriptors = z
  .array(descriptor)
  .nullish()
  .transform((list) => list ?? []);

const document = z.looseObject({
  schemaVersion: z.literal(2),
  mediaType: z.string().optional(),
  artifactType: z.string().optional(),
  config: descriptor.optional(),
  layers: descriptors,
  manifests: z.array(descriptor).nullish(),
  subject: descriptor.nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
});

/** A manifest as it came, byte by byte, and what of it matters for a copy. */
export interface Manifest {
  digest: string;
  mediaType: string;
  bytes: Buffer;
  /** Its config and layers that are in the registry; each once. None for an index. */
  blobs: Descriptor[];
  config: Descriptor | undefined;
  /** The manifests of an index; undefined for anything else. */
  children: Descriptor[] | undefined;
  subject: Descriptor | undefined;
  artifactType: string;
  annotations: Record<string, string>;
}

/** Layers whose licence keeps them where they are: a manifest names them with the addresses of their maker. */
const foreign = /^application\/vnd\.(oci\.image\.layer\.nondistributable\.|docker\.image\.rootfs\.foreign\.)/;

/** @returns a sentence where the bytes are no manifest */
export function readManifest(bytes: Buffer, contentType: string, digest: string): Manifest | string {
  const read = document.safeParse(parsedJson(bytes.toString("utf8")));
  if (!read.success) {
    const issue = read.error.issues[0];
    return `is no image manifest (${issue?.path.join(".") || "document"}: ${issue?.message})`;
  }
  const { mediaType: declared, config, layers, manifests, subject } = read.data;
  const mediaType = declared ?? contentType.split(";")[0]?.trim() ?? "";
  if (!manifestTypes.includes(mediaType)) return `has the type ${mediaType || "(none)"}, which cannot be copied`;
  const isIndex = mediaType === ociIndex || mediaType === dockerList;
  if (isIndex ? !manifests : config === undefined) return `has no ${isIndex ? "manifests" : "config"}`;
  const kept = [...(config ? [config] : []), ...layers].filter(
    ({ mediaType: type, urls }) => !(foreign.test(type) && urls && urls.length > 0),
  );
  return {
    digest,
    mediaType,
    bytes,
    blobs: isIndex ? [] : [...new Map(kept.map((one) => [one.digest, one])).values()],
    config: isIndex ? undefined : config,
    children: isIndex ? (manifests ?? []) : undefined,
    subject: subject ?? undefined,
    artifactType: read.data.artifactType ?? config?.mediaType ?? "",
    annotations: read.data.annotations ?? {},
  };
}

type Platform = Partial<Record<"os" | "architecture" | "variant", string | undefined>>;

/** `linux/amd64`, `linux/arm/v7`; empty where nothing is said. */
export function platformOf(from: Platform | null | undefined): string {
  if (!from?.os || !from.architecture) return "";
  return [from.os, from.architecture, ...(from.variant ? [from.variant] : [])].join("/");
}

/** Whether an image of platform `has` serves who asked for `wanted`: without a variant any will do. */
export const servesPlatform = (has: string, wanted: string): boolean => has === wanted || has.startsWith(`${wanted}/`);

/**
 * The entries of an index that belong to some platforms, in its order: their images, and attestations that name one of them
 * (BuildKit writes these with the platform unknown/unknown).
 */
export function entriesOf(children: readonly Descriptor[], platforms: readonly string[]): Descriptor[] {
  const images = children.filter(({ platform }) =>
    platforms.some((wanted) => servesPlatform(platformOf(platform), wanted)),
  );
  const digests = new Set(images.map(({ digest }) => digest));
  return children.filter(
    (one) => digests.has(one.digest) || digests.has(one.annotations?.["vnd.docker.reference.digest"] ?? ""),
  );
}

/** An index with some of its entries: everything else as it was. */
export function selectedIndex(index: Manifest, entries: readonly Descriptor[]): Buffer {
  const whole = JSON.parse(index.bytes.toString("utf8")) as { manifests: { digest: string }[] };
  const kept = new Set(entries.map(({ digest }) => digest));
  return Buffer.from(JSON.stringify({ ...whole, manifests: whole.manifests.filter(({ digest }) => kept.has(digest)) }));
}
