import { log } from "../../base/settings/log.ts";
import { imageParts } from "../../manifest/imageParts.ts";
import { openImageCopier } from "../images/copy/imageCopier.ts";
import { ImageProblem } from "../images/imageProblem.ts";
import { registryAccess } from "../images/registryAccess.ts";
import { findRegistry, listRegistries, type RegistryRecord } from "../registries/store/registries.ts";
import type { ImageFacts } from "./rules/artifact.ts";
import { countAsked, describeArtifact, findArtifact } from "./store/artifacts.ts";

/** A registry that is asked at the end of a job or in the reconciler's minute gets no longer. */
const maxMilliseconds = 15_000;

/**
 * Asks the registry of an artifact what its image is (contract D 3.4). What it does not answer now it is asked again, once
 * a minute for half an hour. May be repeated.
 */
export async function describeImage(artifactId: string): Promise<void> {
  const artifact = await findArtifact(artifactId);
  if (artifact?.duePk === undefined) return;
  const facts = await ask(artifact.image, artifact.registryId);
  if (facts === undefined) await countAsked(artifact);
  else await describeArtifact(artifact, facts);
}

async function ask(image: string, registryId: string): Promise<ImageFacts | undefined> {
  const { host, repository, tag, digest } = imageParts(image);
  const registry = await registryFor(host, repository, registryId);
  if (registry === undefined) return undefined;
  const signal = AbortSignal.timeout(maxMilliseconds);
  const copier = openImageCopier({ signal });
  try {
    const place = { registry: await registryAccess(registry), repository, reference: digest || tag || "latest" };
    const { digest: imageDigest, size: imageSize, platforms } = await copier.resolve(place);
    const parts = platforms.map((platform) => platform.split("/"));
    const each = (at: number) => [...new Set(parts.map((part) => part[at] ?? ""))].join(",");
    return { imageDigest, imageSize, os: each(0), architecture: each(1) };
  } catch (error) {
    if (!(error instanceof ImageProblem) && !signal.aborted) throw error;
    log.warn("image not described yet", { image, internal: String(error) });
    return undefined;
  } finally {
    copier.close();
  }
}

/** The one that the build was told; a script may have pushed to another one that is registered. */
async function registryFor(host: string, repository: string, registryId: string): Promise<RegistryRecord | undefined> {
  const own = registryId === "" ? undefined : await findRegistry(registryId);
  const isAt = ({ address }: Pick<RegistryRecord, "address">) => URL.parse(address)?.host === host;
  if (own !== undefined && isAt(own)) return own;
  const { registries } = await listRegistries();
  const fits = registries.filter(
    (one) => isAt(one) && `${repository}/`.startsWith(`${one.namespace}/`.replace(/^\/$/, "")),
  );
  const [nearest] = fits.sort((a, b) => b.namespace.length - a.namespace.length);
  return nearest && findRegistry(nearest.registryId);
}
