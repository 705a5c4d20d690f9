import { codeHostProviders } from "../../../integrations/rules/codeHosts/providers.ts";
import type { CodeHost } from "../../../integrations/store/codeHosts.ts";
import type { Repository } from "../../definition/script/repository.ts";

/** `https://host/namespace/name.git`, or `git@host:namespace/name.git` where an SSH key signs in. */
export function repositoryAddress(
  { address, authType, type }: Pick<CodeHost, "address" | "authType" | "type">,
  { namespace, name }: Pick<Repository, "namespace" | "name">,
): string {
  const base = address.trim().replace(/\/+$/, "");
  const path = codeHostProviders[type].clonePath?.({ namespace, name }) ?? `${namespace}/${name}.git`;
  if (authType !== "ssh" || base.startsWith("ssh://")) return `${base}/${path}`;
  if (base.includes("@")) return `${base.replace(/:$/, "")}:${path}`;
  return `git@${URL.parse(base)?.hostname ?? base}:${path}`;
}
