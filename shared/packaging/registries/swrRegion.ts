/** The region of a Huawei registry: as given, or from its address `swr.<region>.<domain>`; empty when neither tells. */
export function swrRegion(registry: { address: string; region: string }): string {
  if (registry.region !== "") return registry.region;
  return /^https?:\/\/swr\.([a-z0-9-]+)\./i.exec(registry.address)?.[1] ?? "";
}
