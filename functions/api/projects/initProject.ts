import { createHash } from "node:crypto";
import type { BoundUser } from "../../../shared/access/identity/store/bindings.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { table } from "../../../shared/base/store/table.ts";
import { createEnvironment } from "../../../shared/environments/change/createEnvironment.ts";
import { findChange } from "../../../shared/environments/store/changes.ts";
import { findEnvironment } from "../../../shared/environments/store/environments.ts";
import type { NewProject } from "../../../shared/projects/createProject.ts";
import { finishInitialization, releaseInitialization } from "../../../shared/projects/store/initializations.ts";
import { projectMustStand } from "../../../shared/projects/store/projects.ts";
import { prepareInitialization } from "./prepareInitialization.ts";
import { startInitialization } from "./startInitialization.ts";

/** A project with what it begins with (contract P 1.2, 1.3). */
export interface Initialization {
  project: NewProject;
  services: readonly InitialService[];
  environments: readonly { envKey: string; clusterName: string; namespace: string }[];
}

/** A service from its text, from a template of the library, or from a chart template. */
export type InitialService = { name: string } & (
  | { yaml: string; values: readonly { key: string; value: unknown }[] }
  | { template: { name: string; autoSync: boolean }; values: readonly { key: string; value: unknown }[] }
  | {
      chartTemplate: string;
      autoSync: boolean;
      variables: readonly { key: string; value: string }[];
      valuesYaml: string;
    }
);

/**
 * Creates a project, its services and its environments. What can be checked is checked before the first write; where an
 * environment fails after that, what was made stays and the same request, sent again, goes on where it stopped.
 * @throws ApiError 6045, 6060, 6074
 */
export async function initProject(wanted: Initialization, actor: BoundUser): Promise<void> {
  const { project, services, environments } = wanted;
  const { projectKey } = project;
  const { contents, clusterIds } = await prepareInitialization(wanted);
  const digest = createHash("sha256").update(JSON.stringify(wanted)).digest("hex");
  const missing = await startInitialization({ project, contents, digest }, actor);
  try {
    for (const transaction of missing) await table().write(...transaction, projectMustStand(projectKey));
    for (const { envKey, clusterName, namespace } of environments) {
      if (await isAccepted(projectKey, envKey)) continue;
      const clusterId = clusterIds.get(clusterName) ?? "";
      const all = services.map(({ name }) => ({ name, variables: [] }));
      const environment = { projectKey, envKey, kind: "test", clusterId, namespace, services: all } as const;
      const charts = project.projectType === "helm";
      await createEnvironment({ ...environment, charts, globalVariables: [], envConfigs: [] }, actor);
    }
  } catch (error) {
    await releaseInitialization(projectKey);
    throw error instanceof ApiError ? withAdvice(error, projectKey) : error;
  }
  await finishInitialization(projectKey);
}

/**
 * Whether an environment was accepted before, which the engine finishes by itself.
 * @throws ApiError 6074 while the request that asked for it is being answered, or until what a crash left of it is gone
 */
async function isAccepted(projectKey: string, envKey: string): Promise<boolean> {
  const environment = await findEnvironment(projectKey, envKey);
  if (environment === undefined) return false;
  const change = await findChange(environment.changeId);
  if (change?.status === "checking")
    throw new ApiError(6074, `environment ${envKey} is still being checked for an earlier request`);
  return true;
}

function withAdvice(error: ApiError, projectKey: string): ApiError {
  const stands = `project ${projectKey}, its services and the environments before this one were made`;
  const advice = "send the same request again to go on, or delete the project";
  return new ApiError(error.code, `${error.description}; ${stands}: ${advice}`, { extra: error.extra, cause: error });
}
