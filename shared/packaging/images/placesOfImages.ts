import { findRegistry, listRegistries, type RegistrySummary } from "../registries/store/registries.ts";
import type { ImagePlace } from "./copy/imageCopier.ts";
import { publicAccess, registryAccess } from "./registryAccess.ts";
import { hostAddress, hostName, readImageReference } from "./rules/imageReference.ts";

/**
 * Finds images of containers in their registries: `host/team/app:v1` in the registered one of that host whose namespace
 * fits best, and without login where no registry of the host is registered. Asks for the list of registries once.
 * @returns a function that returns undefined for what is no image name; with a digest in the name, the digest counts
 */
export async function placesOfImages(): Promise<(image: string) => Promise<ImagePlace | undefined>> {
  const { registries } = await listRegistries();
  return async (image) => {
    const named = readImageReference(image);
    if (typeof named === "string") return undefined;
    const { host, repository, tag, digest } = named;
    const reference = digest || tag || "latest";
    const ofHost = registries.filter((one) => hostOf(one) === host);
    const [best] = ofHost.sort((a, b) => coverage(b, repository) - coverage(a, repository));
    const record = best === undefined ? undefined : await findRegistry(best.registryId);
    if (record === undefined) return { registry: publicAccess(hostAddress(host)), repository, reference };
    // A cluster pulls with the login of a host, whatever the namespace of the registry that gave it.
    const registry = { ...(await registryAccess(record)), namespace: "" };
    return { registry, repository, reference };
  };
}

function hostOf({ address }: RegistrySummary): string {
  return hostName(URL.parse(address)?.host ?? "");
}

function pathOf({ address, namespace }: RegistrySummary): string {
  const path = (URL.parse(address)?.pathname ?? "").split("/").filter((part) => part !== "");
  return [...path, ...(namespace === "" ? [] : [namespace])].map((part) => `${part}/`).join("");
}

/** How many characters of a repository a registry's namespace covers; -1: it is another one. */
function coverage(registry: RegistrySummary, repository: string): number {
  const path = pathOf(registry);
  return repository.startsWith(path) ? path.length : -1;
}
