import type { ServiceKind } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { listEnvironments } from "../store/environments.ts";
import { setDefinitionGone } from "../store/statusNotes.ts";

/**
 * Notes in every environment that runs a service whether its definition still exists: one whose definition is gone is
 * shown as failed (contract P 15), and reading that must not cost a look-up per service.
 */
export async function recordDefinition(
  { projectKey, kind, service }: { projectKey: string; kind: ServiceKind; service: string },
  stands: boolean,
): Promise<void> {
  const environments = await listEnvironments(projectKey);
  for (const { envKey, production } of environments) {
    if (production !== (kind === "production")) continue;
    // Lost where the service is not in the environment.
    await tryWrite(table().write(setDefinitionGone({ projectKey, envKey }, service, !stands)));
  }
}
