/** `<host and path>/<namespace>`: what image names of a registry begin with (contract D 4.6). */
export function imagePrefix(registry: { address: string; namespace: string }): string {
  const host = registry.address.replace(/^https?:\/\//i, "").replace(/\/+$/, "");
  return registry.namespace === "" ? host : `${host}/${registry.namespace}`;
}
