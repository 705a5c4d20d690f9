import { WrongDigest } from "./copy/blobReader.ts";
import { digestOf } from "./digestOf.ts";
import { readAll } from "./exchange.ts";
import { ImageProblem } from "./imageProblem.ts";
import { type LineRequest, type RegistryLine, Unchangeable } from "./registryLine.ts";
import { isDigest } from "./rules/imageNames.ts";
import { type Manifest, manifestTypes, maxManifestBytes, readManifest as parseManifest } from "./rules/manifest.ts";

export interface ManifestPlace {
  line: RegistryLine;
  repository: string;
  /** A tag or a digest. */
  reference: string;
}

const accept = { accept: manifestTypes.join(", ") };

/**
 * The manifest that a tag or a digest names. Its bytes are what the digest says.
 * @returns undefined when there is none
 * @throws ImageProblem
 */
export async function findManifest({ line, repository, reference }: ManifestPlace): Promise<Manifest | undefined> {
  const request: LineRequest = { method: "GET", ...manifestAt(repository, reference), headers: accept };
  const answer = await line.send(request);
  if (answer.statusCode === 404) {
    answer.resume();
    return undefined;
  }
  if (answer.statusCode !== 200) throw await line.explain(answer, request);
  const place = `${line.access.address}/${repository} (${reference})`;
  const bytes = await readAll(answer, maxManifestBytes);
  if (bytes === undefined)
    throw new ImageProblem(`${place}: the manifest is larger than 4 MB; build the image with fewer layers or entries`, {
      retryable: false,
    });
  const named = isDigest(reference) ? reference : undefined;
  const digest = digestOf(bytes, named);
  if (named !== undefined && named !== digest) {
    const text = `${place}: the registry sent a manifest with the digest ${digest}; push the image there again`;
    throw new WrongDigest(text, { retryable: false });
  }
  const manifest = parseManifest(bytes, answer.headers["content-type"] ?? "", digest);
  if (typeof manifest !== "string") return manifest;
  throw new ImageProblem(`${place}: ${manifest}; push it as a Docker v2 or OCI image`, { retryable: false });
}

/** As `findManifest`, where there has to be one. */
export async function requireManifest(place: ManifestPlace): Promise<Manifest> {
  const found = await findManifest(place);
  if (found !== undefined) return found;
  const { line, repository, reference } = place;
  const text = `${line.access.address}/${repository} (${reference}): is not there (404)`;
  throw new ImageProblem(`${text}; check the repository's name, tag or digest`, { retryable: false });
}

/**
 * The digest that a tag of a registry has now, `""` where the registry does not say it.
 * @returns undefined when there is no such tag
 */
export async function headManifest(
  { line, repository, reference }: ManifestPlace,
  { writes } = { writes: true },
): Promise<string | undefined> {
  const request: LineRequest = { method: "HEAD", ...manifestAt(repository, reference), headers: accept };
  const answer = await line.send({ ...request, writes });
  if (answer.statusCode !== 200 && answer.statusCode !== 404) throw await line.explain(answer, request);
  answer.resume();
  if (answer.statusCode === 404) return undefined;
  return isDigest(reference) ? reference : String(answer.headers["docker-content-digest"] ?? "");
}

/**
 * Writes a manifest, whose blobs or entries have to be there.
 * @throws ImageProblem; one that cannot be tried again when the tag may not change and names another manifest
 */
export async function writeManifest(
  place: ManifestPlace,
  { mediaType, bytes, digest }: Pick<Manifest, "mediaType" | "bytes" | "digest">,
): Promise<void> {
  const { line, repository, reference } = place;
  const headers = { "content-type": mediaType };
  const request: LineRequest = {
    method: "PUT",
    ...manifestAt(repository, reference),
    headers,
    body: bytes,
    writes: true,
  };
  const answer = await line.send(request);
  if (answer.statusCode === 201) {
    answer.resume();
    return;
  }
  const refused = await line.explain(answer, request);
  const isFixed = refused instanceof Unchangeable || [409, 412].includes(answer.statusCode ?? 0);
  const stands = isFixed && !isDigest(reference) ? await headManifest(place) : undefined;
  if (stands === undefined || stands === "") throw refused;
  // Another process wrote the same at the same time, or the answer to an earlier try did not arrive.
  if (stands === digest) return;
  const text = `${line.access.address}/${repository}:${reference}: the tag is immutable there and names ${stands}`;
  throw new ImageProblem(`${text}, not ${digest} (${answer.statusCode}); choose another tag`, { retryable: false });
}

function manifestAt(repository: string, reference: string) {
  return { repository, to: `manifests/${reference}`, about: reference } as const;
}
