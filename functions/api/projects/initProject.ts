import { createHash } from "node:crypto";
import { ApiError } from "../../../shared/domain/errors/apiError.ts";
import { createEnvironment } from "../../../shared/environments/createEnvironment.ts";
import type { NewProject } from "../../../shared/projects/createProject.ts";
import { findEnvironment } from "../../../shared/store/environments.ts";
import { finishInitialization, releaseInitialization } from "../../../shared/store/initializations.ts";
import { projectMustStand } from "../../../shared/store/projects.ts";
import { table } from "../../../shared/store/theTable.ts";
import { beginInitialization } from "./beginInitialization.ts";
import { prepareInitialization } from "./prepareInitialization.ts";

/** A project with what it begins with (contract P 1.2). */
export interface Initialization {
  project: NewProject;
  services: readonly { name: string; yaml: string; values: readonly { key: string; value: unknown }[] }[];
  environments: readonly { envKey: string; clusterName: string; namespace: string }[];
}

interface Actor {
  uid: string;
  name: string;
}

/**
 * Creates a project, its services and its environments. What can be checked is checked before the first write; where an
 * environment fails after that, what was made stays and the same request, sent again, goes on where it stopped.
 * @throws ApiError 6045, 6060, 6074
 */
export async function initProject(wanted: Initialization, actor: Actor): Promise<void> {
  const { project, services, environments } = wanted;
  const { projectKey } = project;
  const { contents, clusterIds } = await prepareInitialization(wanted);
  const digest = createHash("sha256").update(JSON.stringify(wanted)).digest("hex");
  const missing = await beginInitialization({ project, contents, digest }, actor);
  try {
    for (const transaction of missing) await table().write(...transaction, projectMustStand(projectKey));
    for (const { envKey, clusterName, namespace } of environments) {
      if ((await findEnvironment(projectKey, envKey)) !== undefined) continue;
      const clusterId = clusterIds.get(clusterName) ?? "";
      const all = services.map(({ name }) => ({ name, variables: [] }));
      const environment = { projectKey, envKey, kind: "test", clusterId, namespace, services: all } as const;
      await createEnvironment({ ...environment, globalVariables: [], envConfigs: [] }, actor);
    }
  } catch (error) {
    await releaseInitialization(projectKey);
    throw error instanceof ApiError ? withAdvice(error, projectKey) : error;
  }
  await finishInitialization(projectKey);
}

function withAdvice(error: ApiError, projectKey: string): ApiError {
  const stands = `project ${projectKey}, its services and the environments before this one were made`;
  const advice = "send the same request again to go on, or delete the project";
  return new ApiError(error.code, `${error.description}; ${stands}: ${advice}`, { extra: error.extra, cause: error });
}
