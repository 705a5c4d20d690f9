import { readWholeBlob } from "./copy/blobReader.ts";
import { type ImageTree, readTree } from "./copy/imageTree.ts";
import type { BlobSource } from "./readBlob.ts";
import { requireManifest } from "./readManifest.ts";
import { type Manifest, maxManifestBytes, platformOf } from "./rules/manifest.ts";
import { inSlot } from "./slots.ts";

/** @throws ImageProblem when there is no such manifest */
export const manifestOf = (source: BlobSource, reference: string): Promise<Manifest> =>
  inSlot(source.line, () => requireManifest({ ...source, reference }));

/** All manifests of an image that was read by `reference`. */
export function treeOf(
  source: BlobSource,
  reference: string,
  image: Manifest,
  platforms?: readonly string[],
): Promise<ImageTree> {
  const shown = `${source.line.access.address}/${source.repository} (${reference})`;
  const manifest = (digest: string) => manifestOf(source, digest);
  return readTree({ shown, manifest, platform: (one) => platformOfImage(source, one) }, image, platforms);
}

/** The platform that an image's config names; `""` for what is no image of a system. */
export async function platformOfImage(source: BlobSource, { config }: Manifest): Promise<string> {
  const isImage = config !== undefined && /container\.image|image\.config/.test(config.mediaType);
  if (!isImage || config.size > maxManifestBytes) return "";
  const bytes = await inSlot(source.line, () => readWholeBlob(source, config));
  try {
    return platformOf(JSON.parse(bytes.toString("utf8")));
  } catch {
    return "";
  }
}
