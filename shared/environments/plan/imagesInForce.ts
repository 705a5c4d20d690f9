import type { ServiceRecord } from "../../projects/services/store/services.ts";
import type { EnvironmentService } from "../store/environments.ts";

/** Images that differ from the revision's: kept from before, or sent now (contract P 13.6). */
export function imagesInForce(
  record: ServiceRecord,
  current: EnvironmentService | undefined,
  sent: readonly { name: string; image: string }[],
): Record<string, string> {
  const images = new Map(Object.entries(current?.changedImages ?? {}));
  for (const { name, image } of sent) images.set(name, image);
  const differing = record.containers.filter(({ name, image }) => images.has(name) && images.get(name) !== image);
  return Object.fromEntries(differing.map(({ name }) => [name, images.get(name) ?? ""]));
}
