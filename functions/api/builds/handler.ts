import { badRequest } from "../../../shared/base/errors/apiError.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { success, successWith } from "../../../shared/http/schemas.ts";
import { pageOfDefinitions } from "../../../shared/workflows/jobDefinitions/pageOfDefinitions.ts";
import { removeDefinition } from "../../../shared/workflows/jobDefinitions/removeDefinition.ts";
import { createDefinition, replaceDefinition } from "../../../shared/workflows/jobDefinitions/saveDefinition.ts";
import { builds } from "../../../shared/workflows/jobDefinitions/store/builds.ts";
import { readBuild } from "./readBuild.ts";
import { buildRoutes } from "./routes.ts";
import { buildWarnings, wantedBuild } from "./saveBuild.ts";
import { templateHandlers } from "./templates.ts";
import { detailAnswer, listAnswer } from "./wire.ts";

const sort = { store: builds, noun: "build" };

export const handler = createApi(buildRoutes, {
  createBuild: async ({ body, caller }) => {
    const wanted = wantedBuild(body, body.projectKey);
    await createDefinition({ ...sort, code: 6520 }, wanted, caller.name);
    return successWith(buildWarnings(body));
  },

  updateBuild: async ({ body, caller }) => {
    const wanted = wantedBuild(body, body.projectKey);
    await replaceDefinition({ ...sort, code: 6521 }, wanted, caller.name);
    return successWith(buildWarnings(body));
  },

  updateTemplateBuild: async ({ params, body, caller }) => {
    requireSameName(params.buildName, body.name);
    const wanted = { ...body, source: "template" as const, name: params.buildName };
    await replaceDefinition({ ...sort, code: 6521 }, wantedBuild(wanted, body.projectKey), caller.name);
    return success;
  },

  listBuilds: async ({ query }) => listAnswer(query.projectKey, await pageOfDefinitions(builds, query)),

  getBuild: async ({ params, query }) => detailAnswer(await readBuild(query.projectKey, params.buildName), query),

  deleteBuild: async ({ query }) => {
    await removeDefinition({ ...sort, code: 6524 }, query.projectKey, query.name);
    return success;
  },

  ...templateHandlers,
});

/** The path decides which build it is (contract W 10.4). @throws ApiError 400 when the body names another */
function requireSameName(inPath: string, inBody: string | undefined): void {
  if (inBody === undefined || inBody === inPath) return;
  throw badRequest([{ in: "body", path: "name", problem: `must be ${inPath}, as in the path, or be left out` }]);
}
