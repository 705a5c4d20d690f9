import { hostName, readImageReference } from "../packaging/images/rules/imageReference.ts";
import { imagePrefix } from "../packaging/registries/imagePrefix.ts";
import type { RegistrySummary } from "../packaging/registries/store/registries.ts";

type OwnedBy = { registryId: string } | { problem: string };

/**
 * The registry that an image of this reference belongs to: of those whose address and namespace its name begins with, the
 * one with the longest; an empty id for a public one (contract D 1.10). A host that is registered is entered by its
 * registered namespaces alone.
 */
export function ownerOf(image: string, registries: readonly RegistrySummary[]): OwnedBy {
  const read = readImageReference(image);
  if (typeof read === "string") return { problem: read };
  const named = registries.map((registry) => ({ ...registry, prefix: comparable(imagePrefix(registry)) }));
  const fitting = named
    .filter(({ prefix }) => `${read.host}/${read.repository}`.startsWith(`${prefix}/`))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  if (fitting[0] !== undefined) return { registryId: fitting[0].registryId };
  const spaces = named.filter(({ prefix }) => prefix.split("/")[0] === read.host).map(({ prefix }) => prefix);
  if (spaces.length === 0) return { registryId: "" };
  return { problem: `can't find source registry for image: ${image}; registered there are ${spaces.join(", ")}` };
}

function comparable(prefix: string): string {
  const [host = "", ...path] = prefix.split("/");
  return [hostName(host.toLowerCase()), ...path].join("/");
}
