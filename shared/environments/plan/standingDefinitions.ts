import { findRevision } from "../../projects/services/store/findRevision.ts";
import type { ServiceRecord } from "../../projects/services/store/services.ts";
import type { EnvironmentName } from "../requireEnvironment.ts";
import type { EnvironmentService } from "../store/environments.ts";

/** The definitions that services of an environment have, by name; one whose revision is gone is left out. */
export async function standingDefinitions(
  { projectKey, production }: Pick<EnvironmentName, "projectKey" | "production">,
  services: readonly Pick<EnvironmentService, "name" | "revision">[],
): Promise<Map<string, ServiceRecord>> {
  const kind = production ? "production" : "test";
  const records = await Promise.all(
    services.map(({ name, revision }) => findRevision(projectKey, kind, name, revision)),
  );
  return new Map(records.flatMap((record) => (record === undefined ? [] : [[record.name, record] as const])));
}
