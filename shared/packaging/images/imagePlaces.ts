import { findRegistry } from "../registries/store/registries.ts";
import type { ImagePlace } from "./copy/imageCopier.ts";
import { ImageProblem } from "./imageProblem.ts";
import { publicAccess, type RegistryAccess, registryAccess } from "./registryAccess.ts";
import { hostAddress, readImageReference } from "./rules/imageReference.ts";

/** Opens registries by their ids, each once. */
export interface ImagePlaces {
  /**
   * Where an image is. @param registryId empty: where it is public
   * @throws ImageProblem
   */
  placeOf(image: string, registryId: string): Promise<ImagePlace>;
}

export function openImagePlaces(): ImagePlaces {
  const opened = new Map<string, Promise<RegistryAccess>>();
  function accessTo(registryId: string): Promise<RegistryAccess> {
    const known = opened.get(registryId) ?? openRegistry(registryId);
    opened.set(registryId, known);
    return known;
  }
  return {
    placeOf: async (image, registryId) => {
      const read = readImageReference(image);
      if (typeof read === "string") throw new ImageProblem(`${image}: ${read}`, { retryable: false });
      const { host, repository, tag, digest } = read;
      const registry = registryId === "" ? publicAccess(hostAddress(host)) : await accessTo(registryId);
      return { registry, repository, reference: digest || tag || "latest" };
    },
  };
}

async function openRegistry(registryId: string): Promise<RegistryAccess> {
  const record = await findRegistry(registryId);
  if (record !== undefined) return registryAccess(record);
  throw new ImageProblem(`registry ${registryId} does not exist any more`, { retryable: false });
}
