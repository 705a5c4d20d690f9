import { digestOf } from "../digestOf.ts";
import { ImageProblem } from "../imageProblem.ts";
import {
  type Descriptor,
  entriesOf,
  type Manifest,
  platformOf,
  selectedIndex,
  servesPlatform,
} from "../rules/manifest.ts";
import { settled } from "../settled.ts";

/** A manifest with all manifests below it. */
export interface ImageTree {
  manifest: Manifest;
  children: ImageTree[];
  /** Of the whole tree, in its order; empty where no system is named. */
  platforms: string[];
}

export interface TreeSource {
  /** How messages call the image. */
  shown: string;
  /** @throws ImageProblem when there is no such manifest */
  manifest(reference: string): Promise<Manifest>;
  /** The platform that the config of an image names; `""` where it names none. */
  platform(image: Manifest): Promise<string>;
}

/** Indexes of indexes end somewhere. */
const maxDepth = 4;
const maxEntries = 500;

/**
 * Reads all manifests of an image. With platforms: only what belongs to them, under a new index.
 * @throws ImageProblem when a platform is missing or a manifest cannot be read
 */
export async function readTree(
  source: TreeSource,
  image: Manifest,
  platforms: readonly string[] | undefined,
): Promise<ImageTree> {
  const { children } = image;
  if (platforms === undefined) return wholeTree(source, image, 1);
  if (children === undefined) {
    const platform = await source.platform(image);
    for (const wanted of platforms) if (!servesPlatform(platform, wanted)) throw missing(source, wanted, [platform]);
    return { manifest: image, children: [], platforms: [platform] };
  }
  const has = platformsOf(children);
  for (const wanted of platforms)
    if (!has.some((one) => servesPlatform(one, wanted))) throw missing(source, wanted, has);
  const entries = entriesOf(children, platforms);
  if (entries.length === children.length) return wholeTree(source, image, 1);
  const bytes = selectedIndex(image, entries);
  return wholeTree(source, { ...image, bytes, digest: digestOf(bytes), children: entries }, 1);
}

async function wholeTree(source: TreeSource, manifest: Manifest, depth: number): Promise<ImageTree> {
  const { children } = manifest;
  if (children === undefined) return { manifest, children: [], platforms: [] };
  if (depth > maxDepth || children.length > maxEntries) {
    const text = `${source.shown}: the index has more than ${maxEntries} entries or ${maxDepth} levels`;
    throw new ImageProblem(`${text}; copy the images that are wanted one by one`, { retryable: false });
  }
  const trees = await settled(
    children.map(
      ({ digest }) =>
        async () =>
          wholeTree(source, await source.manifest(digest), depth + 1),
    ),
  );
  const platforms = [...new Set([...platformsOf(children), ...trees.flatMap((tree) => tree.platforms)])];
  return { manifest, children: trees, platforms };
}

function platformsOf(children: readonly Descriptor[]): string[] {
  return children.map(({ platform }) => platformOf(platform)).filter((text) => text !== "" && !/^unknown\//.test(text));
}

function missing({ shown }: TreeSource, wanted: string, has: readonly string[]): ImageProblem {
  const there = has.filter((text) => text !== "").join(", ") || "none that is named";
  return new ImageProblem(`${shown}: has no image for ${wanted}; it has ${there}`, { retryable: false });
}

/** Bytes of all config and layers of a tree, each once. */
export function blobBytes(tree: ImageTree): number {
  const sizes = new Map<string, number>();
  const collect = ({ manifest, children }: ImageTree): void => {
    for (const { digest, size } of manifest.blobs) sizes.set(digest, size);
    children.forEach(collect);
  };
  collect(tree);
  return [...sizes.values()].reduce((total, size) => total + size, 0);
}
