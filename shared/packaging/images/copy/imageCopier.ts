import { ImageProblem } from "../imageProblem.ts";
import { openPlacer, type Tally } from "../placeImage.ts";
import { headManifest } from "../readManifest.ts";
import type { RegistryAccess } from "../registryAccess.ts";
import { openRegistryLine, type RegistryLine } from "../registryLine.ts";
import { isDigest, referenceProblem, repositoryProblem } from "../rules/imageNames.ts";
import type { Manifest } from "../rules/manifest.ts";
import { inSlot } from "../slots.ts";
import { manifestOf, platformOfImage, treeOf } from "../sourceImage.ts";
import { openTarget, type TargetRepository } from "../targetRepository.ts";
import { digestsOf, openReferrerCopier } from "./copyReferrers.ts";
import { blobBytes } from "./imageTree.ts";
import type { UploadNotes } from "./uploadNotes.ts";

/** An image in a registry. */
export interface ImagePlace {
  registry: RegistryAccess;
  /** With the registry's namespace: `team/app`. */
  repository: string;
  /** A tag, or a digest `sha256:…`. */
  reference: string;
}

export interface ImageCopy {
  /** The caller's name for it. */
  id: string;
  from: ImagePlace;
  to: ImagePlace;
  /** `linux/amd64`, `linux/arm/v7`, …: only these of an index, as a new index with a digest of its own; absent: all. */
  platforms?: readonly string[] | undefined;
  /** An earlier process began it: what that sent is looked for, although no tag tells of it yet. */
  begun?: boolean;
}

export interface CopyOutcome {
  id: string;
  state: "passed" | "failed";
  /** Of what the target has now; `""` when the source could not be read. */
  digest: string;
  /** What was sent to the target by this call; blobs that it had or mounted are not counted. */
  bytes: number;
  /** For people: registry, repository, what happened and what to do; `""` when passed. */
  problem: string;
  /** Whether the same copy may go well later without anybody changing anything. */
  retryable: boolean;
}

export interface ResolvedImage {
  digest: string;
  mediaType: string;
  /** Bytes of all config and layers of the chosen platforms, each once. */
  size: number;
  /** `linux/amd64`, …; empty for what is no image of a system. */
  platforms: string[];
}

export interface ImageCopierOptions {
  /** Transfers and questions at the same time for each registry, at least 2; by default 8. */
  limitPerRegistry?: number;
  /** Ends all work with its reason; whatever the target has confirmed stays. */
  signal: AbortSignal;
  /** Ends with its reason what no blob and no chunk is under way of; with `notes` the next copier goes on from there. */
  pausing?: AbortSignal;
  /** Where uploads of large blobs go on, for copiers of other processes; without it they begin again. */
  notes?: UploadNotes;
  /** Told whenever the target has confirmed a blob or a chunk of one: something moves. Bytes. */
  progress?: (id: string, confirmedBytes: number, totalBytes: number) => void;
  /** Larger blobs are sent in chunks of this size; by default 64 MiB. */
  chunkBytes?: number;
  /** Waits so many milliseconds when a registry asks for patience; by default by the clock. */
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Copies images from registry to registry. Everything that is copied by the same copier shares connections, tokens, limits,
 * and what is known of the targets. It may be killed at any moment and called again with the same copies: what the target
 * has is not sent again, and a tag is written only when all that it names is there.
 */
export interface ImageCopier {
  /**
   * What a tag or digest refers to now.
   * @throws ImageProblem
   */
  resolve(place: ImagePlace, platforms?: readonly string[]): Promise<ResolvedImage>;
  /**
   * Copies one image. Several may be copied at the same time.
   * @throws the reason of `signal` or `pausing` when it was stopped
   */
  copy(copy: ImageCopy): Promise<CopyOutcome>;
  /** Ends all connections. */
  close(): void;
}

export function openImageCopier(options: ImageCopierOptions): ImageCopier {
  const { limitPerRegistry = 8, signal, progress = () => undefined, chunkBytes = 64 * 1024 ** 2, pause } = options;
  const lines = new Map<string, RegistryLine>();
  const targets = new Map<string, TargetRepository>();
  const placer = openPlacer({ chunkBytes, notes: options.notes, pausing: options.pausing });
  const { copyReferrers } = openReferrerCopier(placer);

  function lineTo(access: RegistryAccess): RegistryLine {
    const limit = Math.max(limitPerRegistry, 2);
    return kept(lines, access.id, () => openRegistryLine(access, { limit, signal, ...(pause && { pause }) }));
  }

  function targetAt({ registry, repository }: ImagePlace): TargetRepository {
    return kept(targets, `${registry.id} ${repository}`, () => openTarget(lineTo(registry), repository));
  }

  async function copyImage(
    { id, from, to, platforms, begun }: ImageCopy,
    sent: (bytes: number) => void,
  ): Promise<string> {
    checkPlace(from);
    checkPlace(to);
    const source = { line: lineTo(from.registry), repository: from.repository };
    const target = targetAt(to);
    const [image, stands] = await Promise.all([
      manifestOf(source, from.reference),
      inSlot(target.line, () => headManifest({ ...target, reference: to.reference })),
    ]);
    if (platforms === undefined && stands === image.digest) {
      const tally = { sent, confirmed: () => undefined };
      await copyReferrers({ source, target, tally }, [image.digest, ...childrenOf(image)]);
      return image.digest;
    }
    const tree = await treeOf(source, from.reference, image, platforms);
    const { digest } = tree.manifest;
    if (isDigest(to.reference) && to.reference !== digest)
      throw wrongPlace(to, `cannot name an image whose digest is ${digest}; use a tag or this digest`);
    if (stands !== undefined || begun === true) target.isInUse();
    const passage = { source, target, tally: { ...tallyOf(id, blobBytes(tree), progress), sent } };
    if (stands !== digest) await placer.place(passage, tree, to.reference);
    await copyReferrers(passage, digestsOf(tree));
    return digest;
  }

  return {
    async resolve(place, platforms) {
      checkPlace(place);
      const source = { line: lineTo(place.registry), repository: place.repository };
      const image = await manifestOf(source, place.reference);
      const tree = await treeOf(source, place.reference, image, platforms);
      const { manifest } = tree;
      const known = tree.platforms.length > 0 || manifest.children !== undefined;
      const platform = known ? "" : await platformOfImage(source, manifest);
      const { digest, mediaType } = manifest;
      return { digest, mediaType, size: blobBytes(tree), platforms: platform === "" ? tree.platforms : [platform] };
    },
    async copy(copy) {
      const { id } = copy;
      let bytes = 0;
      try {
        const digest = await copyImage(copy, (more) => {
          bytes += more;
        });
        return { id, state: "passed", digest, bytes, problem: "", retryable: false };
      } catch (error) {
        if (!(error instanceof ImageProblem)) throw error;
        const { message: problem, retryable } = error;
        return { id, state: "failed", digest: "", bytes, problem, retryable };
      }
    },
    close: () => {
      for (const line of lines.values()) line.close();
    },
  };
}

function kept<T>(all: Map<string, T>, key: string, open: () => T): T {
  const known = all.get(key) ?? open();
  all.set(key, known);
  return known;
}

const childrenOf = ({ children = [] }: Manifest): string[] => children.map(({ digest }) => digest);

function tallyOf(
  id: string,
  total: number,
  progress: NonNullable<ImageCopierOptions["progress"]>,
): Pick<Tally, "confirmed"> {
  let confirmed = 0;
  return {
    confirmed: (bytes) => {
      confirmed += bytes;
      // A layer that two platforms share is confirmed for each.
      progress(id, Math.min(confirmed, total), total);
    },
  };
}

function checkPlace(place: ImagePlace): void {
  const problem = repositoryProblem(place.repository, place.registry.namespace) ?? referenceProblem(place.reference);
  if (problem !== undefined) throw wrongPlace(place, problem);
}

function wrongPlace({ registry, repository, reference }: ImagePlace, problem: string): ImageProblem {
  return new ImageProblem(`${registry.address}/${repository} (${reference}): ${problem}`, { retryable: false });
}
