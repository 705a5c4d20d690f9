import { findVersionHook, saveVersionHook } from "../../../shared/delivery/store/versionHooks.ts";
import { defaultPatterns } from "../../../shared/helm/rules/imagePatterns.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { success, successWith } from "../../../shared/http/schemas.ts";
import type { Grants } from "../../../shared/identity/rules/grants.ts";
import { findVerification, saveVerification } from "../../../shared/images/verification/store/verifications.ts";
import { startProjectDeletion } from "../../../shared/lifecycle/startProjectDeletion.ts";
import { createProject } from "../../../shared/projects/createProject.ts";
import { requireHelmProject } from "../../../shared/projects/requireHelmProject.ts";
import { defaultBoundary } from "../../../shared/projects/rules/boundary.ts";
import { findBoundary } from "../../../shared/projects/store/boundaries.ts";
import {
  findGlobalVariables,
  findProject,
  findProjects,
  type ProjectSummary,
  pageOfProjects,
  projectMustStand,
  requireProject,
  setImagePatterns,
} from "../../../shared/projects/store/projects.ts";
import { searchChartsAgain } from "../../../shared/services/searchChartsAgain.ts";
import { cancelTasksOf } from "../../../shared/workflows/tasks/cancelTasksOf.ts";
import { shownBoundary, toBoundary } from "./boundarySchemas.ts";
import { defineGlobalVariables } from "./defineGlobalVariables.ts";
import { shownHook, toVersionHook } from "./deliveryHook.ts";
import { initProject } from "./initProject.ts";
import { readRetention, setRetention } from "./retention.ts";
import { projectRoutes } from "./routes.ts";
import { saveBoundary } from "./saveBoundary.ts";
import { shownRules, toPatterns } from "./searchingRules.ts";
import { shownVerification, toVerification } from "./verificationSchemas.ts";
import { detailAnswer, listAnswer, toChartInitialization, toInitialization, toNewProject } from "./wire.ts";

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
