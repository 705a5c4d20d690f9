import type * as z from "zod";
import type { Grants } from "../../../shared/access/identity/rules/grants.ts";
import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { badRequest, type Problem } from "../../../shared/base/errors/apiError.ts";
import { enableReconciler } from "../../../shared/base/reconciling/enableReconciler.ts";
import type { ServiceKind } from "../../../shared/base/store/keys/keys.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import { findVersionHook, saveVersionHook } from "../../../shared/delivery/store/versionHooks.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { success, successWith } from "../../../shared/http/schemas.ts";
import { startProjectDeletion } from "../../../shared/lifecycle/startProjectDeletion.ts";
import {
  checkVariable,
  normaliseVariable,
  type ServiceVariable,
} from "../../../shared/manifest/variables/serviceVariable.ts";
import { defaultPatterns } from "../../../shared/packaging/helm/rules/imagePatterns.ts";
import { readValues } from "../../../shared/packaging/helm/rules/readValues.ts";
import { valueImages } from "../../../shared/packaging/helm/rules/valueImages.ts";
import {
  findVerification,
  saveVerification,
} from "../../../shared/packaging/images/verification/store/verifications.ts";
import { createProject } from "../../../shared/projects/createProject.ts";
import { requireHelmProject } from "../../../shared/projects/requireHelmProject.ts";
import { defaultBoundary } from "../../../shared/projects/rules/boundary.ts";
import { keptForEver, newestKept, type Retention } from "../../../shared/projects/rules/retention.ts";
import { changeRevision } from "../../../shared/projects/services/store/serviceRevisions.ts";
import { findService, listServices } from "../../../shared/projects/services/store/services.ts";
import { findBoundary } from "../../../shared/projects/store/boundaries.ts";
import {
  findGlobalVariables,
  findImagePatterns,
  findProject,
  findProjects,
  type ProjectSummary,
  pageOfProjects,
  projectMustStand,
  requireProject,
  setGlobalVariables,
  setImagePatterns,
} from "../../../shared/projects/store/projects.ts";
import { findRetention, type StoredRetention, saveRetention } from "../../../shared/projects/store/retentions.ts";
import { cancelTasksOf } from "../../../shared/workflows/tasks/end/cancelTasksOf.ts";
import { shownBoundary, toBoundary } from "./boundarySchemas.ts";
import { shownHook, toVersionHook } from "./deliveryHook.ts";
import { initProject } from "./initProject.ts";
import type { newRetention, retention } from "./retentionSchemas.ts";
import { projectRoutes } from "./routes.ts";
import { saveBoundary } from "./saveBoundary.ts";
import { shownRules, toPatterns } from "./searchingRules.ts";
import { shownVerification, toVerification } from "./verificationSchemas.ts";
import { detailAnswer, listAnswer, toChartInitialization, toInitialization, toNewProject } from "./wire.ts";

const atOnce = 8;

/**
 * Finds the images of a project's charts by the patterns that the project has now, in the newest revision of each service
 * (decisions 11.10). May be repeated, which also finishes what was cut off.
 */
async function searchChartsAgain(projectKey: string): Promise<void> {
  for (const kind of ["test", "production"] as const) {
    const charts = (await listServices(projectKey, kind)).filter(({ isChart }) => isChart);
    await mapBounded(charts, atOnce, ({ name }) => searchAgain(projectKey, kind, name));
  }
}

function searchAgain(projectKey: string, kind: ServiceKind, name: string): Promise<void> {
  return retryOnConflict(async () => {
    const before = await findService(projectKey, kind, name);
    if (before?.chart === undefined) return;
    const containers = valueImages(readValues(before.yaml), await findImagePatterns(projectKey));
    if (JSON.stringify(containers) !== JSON.stringify(before.containers))
      await changeRevision(before, { ...before, containers });
  });
}

/** Both lists stand in one item, which may have 400 KB. */
const maxBytes = 128 * 1024;

/**
 * Replaces the definitions of one kind (contract P 26). Environments keep the values they have.
 * @throws ApiError 400 naming every value that does not fit its type; 404 for an unknown project
 */
async function defineGlobalVariables(
  projectKey: string,
  kind: ServiceKind,
  given: readonly ServiceVariable[],
): Promise<void> {
  const project = await requireProject(projectKey);
  const problems = given.flatMap((variable, position): Problem[] => {
    const problem = checkVariable(variable);
    return problem ? [{ in: "body", path: `global_variables[${position}].value`, problem }] : [];
  });
  const variables = given.map(normaliseVariable);
  if (Buffer.byteLength(JSON.stringify(variables)) > maxBytes)
    problems.push({ in: "body", path: "global_variables", problem: `must have at most ${maxBytes} bytes as a whole` });
  if (problems.length > 0) throw badRequest(problems);
  await setGlobalVariables(project, kind, variables);
}

export const handler = createApi(projectRoutes, {
  createProject: async ({ body, caller }) => {
    await createProject(toNewProject(body), caller);
    return success;
  },

  initYamlProject: async ({ body, caller }) => {
    await initProject(toInitialization(body), caller);
    return success;
  },

  initHelmProject: async ({ body, caller }) => {
    await initProject(toChartInitialization(body), caller);
    return success;
  },

  deleteProject: async ({ query, caller, overrideReason }) => {
    const passesFreezes = overrideReason !== undefined;
    await startProjectDeletion({ ...query, passesFreezes }, caller, cancelTasksOf);
    return success;
  },

  listProjects: async ({ query, caller }) =>
    listAnswer(await listProjects(caller.grants, query.pageNum, query.pageSize)),

  getProject: async ({ query }) => detailAnswer(await requireProject(query.projectKey)),

  getGlobalVariables: async ({ query }) => {
    const { test, production } = await findGlobalVariables(query.projectKey);
    return { variables: test, production_variables: production };
  },

  getDeliveryHook: async ({ query }) => {
    await requireProject(query.projectKey);
    return shownHook(await findVersionHook(query.projectKey, { consistent: false }));
  },

  setDeliveryHook: async ({ query, body }) => {
    await requireProject(query.projectKey);
    await saveVersionHook(query.projectKey, toVersionHook(body), projectMustStand(query.projectKey));
    return success;
  },

  getVerification: async ({ query }) => {
    await requireProject(query.projectKey);
    return shownVerification(await findVerification(query.projectKey, { consistent: false }));
  },

  setVerification: async ({ query, body }) => {
    await requireProject(query.projectKey);
    await saveVerification(query.projectKey, toVerification(body), projectMustStand(query.projectKey));
    return success;
  },

  getBoundary: async ({ params: { projectKey } }) => {
    await requireProject(projectKey);
    return shownBoundary((await findBoundary(projectKey, { consistent: false })) ?? defaultBoundary);
  },

  setBoundary: async ({ params: { projectKey }, body }) =>
    successWith(await saveBoundary(projectKey, toBoundary(body))),

  getRetention: ({ params: { projectKey } }) => readRetention(projectKey),

  setRetention: async ({ params: { projectKey }, body }) => {
    await setRetention(projectKey, body);
    return success;
  },

  getSearchingRules: async ({ params }) => {
    const project = await requireProject(params.name);
    requireHelmProject(project, params.name);
    return shownRules(project.imagePatterns ?? defaultPatterns);
  },

  setSearchingRules: async ({ params, body }) => {
    requireHelmProject(await findProject(params.name), params.name);
    await setImagePatterns(params.name, toPatterns(body.rules));
    await searchChartsAgain(params.name);
    return success;
  },

  setTestGlobalVariables: async ({ params, body }) => {
    await defineGlobalVariables(params.name, "test", body.global_variables);
    return success;
  },

  setProductionGlobalVariables: async ({ params, body }) => {
    await defineGlobalVariables(params.name, "production", body.global_variables);
    return success;
  },
});

/** A page of what the caller may see (contract P 1.4): all projects, or those in which the caller holds a role. */
async function listProjects(
  grants: Grants,
  page: number,
  pageSize: number,
): Promise<{ projects: ProjectSummary[]; total: number }> {
  if (grants.systemAdmin || grants.readsEverything) return pageOfProjects(page, pageSize);
  const visible = await findProjects([...grants.projects.keys()]);
  return { projects: visible.slice((page - 1) * pageSize, page * pageSize), total: visible.length };
}

/** How long a project keeps its tasks, and what sweeps removed so far. @throws ApiError 404 */
async function readRetention(projectKey: string): Promise<z.input<typeof retention>> {
  await requireProject(projectKey);
  return shown(await findRetention(projectKey, { consistent: false }));
}

/** @throws ApiError 404 */
async function setRetention(
  projectKey: string,
  { task_days, log_days, version_days }: z.output<typeof newRetention>,
): Promise<void> {
  await requireProject(projectKey);
  const wanted: Retention = { taskDays: task_days, logDays: log_days, versionDays: version_days };
  await saveRetention(projectKey, wanted, projectMustStand(projectKey));
  await enableReconciler();
}

function shown(stored: StoredRetention | undefined): z.input<typeof retention> {
  const { taskDays, logDays, versionDays } = stored ?? keptForEver;
  const { sweptAt = 0, removedTasks = 0, removedLogs = 0, removedVersions = 0 } = stored ?? {};
  return {
    ...{ task_days: taskDays, log_days: logDays, version_days: versionDays, newest_kept: newestKept },
    ...{ swept_at: sweptAt, removed_tasks: removedTasks, removed_logs: removedLogs, removed_versions: removedVersions },
  };
}
