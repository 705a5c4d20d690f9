import { ApiError } from "../domain/errors/apiError.ts";
import type { ServiceVariable } from "../domain/variables/serviceVariable.ts";
import { requireYamlProject } from "../projects/requireYamlProject.ts";
import { nowSeconds } from "../store/ids.ts";
import type { ServiceKind } from "../store/keys.ts";
import { projectMustStand } from "../store/projects.ts";
import { newServiceWrites } from "../store/serviceRevisions.ts";
import { findPlaces, type ServiceRecord } from "../store/services.ts";
import { ConditionFailed } from "../store/table.ts";
import { table } from "../store/theTable.ts";
import { prepareService } from "./prepareService.ts";

interface NewService {
  projectKey: string;
  kind: ServiceKind;
  name: string;
  yaml: string;
  /** They win over what is extracted from the YAML (contract P 12.1). */
  variables: readonly ServiceVariable[];
}

const mostAttempts = 5;

/**
 * Creates a service of a YAML project from its text (contract P 2.4). A revision above 1 says that the name was used before.
 * @throws ApiError 404 for an unknown project, 6040 for a taken name, 6045 for YAML or values that do not fit
 */
export async function createService(wanted: NewService, createdBy: string): Promise<ServiceRecord> {
  const { projectKey, kind, name } = wanted;
  for (let attempt = 1; ; attempt++) {
    const { project, taken, lastRevisions } = await findPlaces(projectKey, kind, [name]);
    requireYamlProject(project, projectKey);
    if (taken.has(name)) throw new ApiError(6040, `service:${name} already exists`);
    const record = newService(wanted, createdBy, lastRevisions.get(name) ?? 0);
    try {
      await table().write(...(await newServiceWrites(record)), projectMustStand(projectKey));
      return record;
    } catch (error) {
      // Whoever won tells at the next look; a name made and deleted meanwhile only moves the numbering.
      if (!(error instanceof ConditionFailed) || attempt === mostAttempts) throw error;
    }
  }
}

/** The first revision under a free name. @throws ApiError 6045 */
export function newService(wanted: NewService, createdBy: string, lastRevision: number): ServiceRecord {
  const { projectKey, kind, name } = wanted;
  return {
    ...{ projectKey, kind, name, createdBy },
    ...prepareService(wanted),
    revision: lastRevision + 1,
    source: "spock",
    createdAt: nowSeconds(),
    group: 0,
  };
}
