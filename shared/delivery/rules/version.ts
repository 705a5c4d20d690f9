import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import type { ImagePath } from "./imageInValues.ts";

/** What is promised: these images by digest, and these manifests or charts (contract D 1.1). */
export type VersionType = "K8SYaml" | "HelmChart";
export const versionSources = ["manual", "from_env", "from_version"] as const;
export type VersionSource = (typeof versionSources)[number];
export const versionStatuses = ["creating", "retrying", "success", "failed"] as const;
export type VersionStatus = (typeof versionStatuses)[number];
export const openStatuses: readonly VersionStatus[] = ["creating", "retrying"];

/** One image of a service, as it was asked for. Nothing of it changes after the version was made. */
export interface VersionImage {
  container: string;
  imageName: string;
  sourceImage: string;
  sourceImageTag: string;
  /** What the version runs; where the image is pushed to when it is. */
  targetImage: string;
  targetImageTag: string;
  pushes: boolean;
  /** Which registry is asked for its digest: of the source when it is pushed, else of the target; empty: a public one. */
  registryId: string;
  /** Of a chart: where its values name it. */
  imagePath?: ImagePath;
}

/** The chart of a service: what it is called in the version, and what it is made of (contract D 1.11). */
export interface VersionChart {
  name: string;
  version: string;
  /** Of what it is made of. */
  originalVersion: string;
  /** That in the store, by its digest; absent: it is fetched from the version's original repository. */
  base?: string;
}

export interface VersionService {
  name: string;
  /** The manifest; of a chart all its values, images included. */
  yaml: StoredText;
  images: VersionImage[];
  chart?: VersionChart;
}

/** What became of the chart of a service. */
export interface ChartState {
  status: "" | "passed" | "failed";
  error: string;
  /** Of the package, which never changes once it was made; empty before. */
  digest: string;
  /** What it renders to; values of Secrets are hidden. */
  manifest?: StoredText;
  /** Where it is, once it passed. */
  url: string;
}

/** `""`: not started, or not to be pushed (contract D 1.1). */
export const imageStatuses = ["", "running", "passed", "failed", "timeout"] as const;
export type ImageStatus = (typeof imageStatuses)[number];

/** Who signed an image: an identity, or (both empty) the key of the project. */
export interface Signer {
  identity: string;
  issuer: string;
}

/** What became of an image: its place is that of its service and its own in there. */
export interface ImageState {
  service: number;
  image: number;
  status: ImageStatus;
  error: string;
  /** Fixed once, by `Resolve`; empty while it is not known (decisions 14.2). */
  digest: string;
  /** Bytes of all that the image consists of. */
  size: number;
  /** `linux/amd64`, …; empty for what is no image of a system. */
  platforms: readonly string[];
  /** Absent while it has not been checked: the project demanded no signatures. */
  signer?: Signer;
}

const unknown = { status: "", error: "", digest: "", size: 0, platforms: [] } as const;

/**
 * The state of an image in a round: an image that did not pass earlier is not started in this one, but keeps its
 * digest.
 */
export function stateIn(
  round: number,
  place: Pick<ImageState, "service" | "image">,
  stored: (ImageState & { round: number }) | undefined,
): ImageState {
  if (stored === undefined) return { ...unknown, ...place };
  const { status, error, digest, size, platforms, signer } = stored;
  const isKept = stored.round === round || status === "passed";
  return {
    ...place,
    digest,
    size,
    platforms,
    ...(signer && { signer }),
    ...(isKept ? { status, error } : { status: "", error: "" }),
  };
}

/** As `stateIn`: the package that was made stays, so that a retry delivers the same. */
export function chartStateIn(round: number, stored: (ChartState & { round: number }) | undefined): ChartState {
  if (stored === undefined) return { status: "", error: "", digest: "", url: "" };
  const { status, error, digest, manifest, url } = stored;
  const isKept = stored.round === round || status === "passed";
  return { ...(isKept ? { status, error } : { status: "", error: "" }), digest, url, ...(manifest && { manifest }) };
}

/** Which images a version has, each with its place, in the order of the request. */
export function placesOf(
  services: readonly VersionService[],
): { service: number; image: number; of: VersionService; what: VersionImage }[] {
  return services.flatMap((of, service) => of.images.map((what, image) => ({ service, image, of, what })));
}

/** An image of a version, and what became of it. */
export interface Piece {
  of: VersionService;
  what: VersionImage;
  state: ImageState;
}

/** @param whole its states are in the order of `placesOf` */
export function piecesOf(whole: { services: readonly VersionService[]; states: readonly ImageState[] }): Piece[] {
  return placesOf(whole.services).flatMap(({ of, what }, at) => {
    const state = whole.states[at];
    return state === undefined ? [] : [{ of, what, state }];
  });
}

/** What an image says that was not pushed (contract D 1.10). */
export function imageFailure(service: string, status: ImageStatus, problem: string): string {
  return `failed to build image distribute for service: ${service}, status: ${status}, err: ${problem} `;
}

/** How a version ends: by its images that are pushed; the first one that did not pass says why (contract D 1.12). */
export function ending(
  services: readonly VersionService[],
  states: readonly ImageState[],
): { status: "success" | "failed"; error: string } {
  const stateAt = new Map(states.map((state) => [`${state.service} ${state.image}`, state]));
  for (const { service, image, of, what } of placesOf(services)) {
    if (!what.pushes) continue;
    const state = stateAt.get(`${service} ${image}`);
    if (state?.status === "passed") continue;
    const error = state?.error || imageFailure(of.name, state?.status ?? "", "it was not pushed; retry the version");
    return { status: "failed", error };
  }
  return { status: "success", error: "" };
}
