import type * as z from "zod";
import { ApiError, badRequest, notFound } from "../../../../shared/base/errors/apiError.ts";
import {
  deployReleases,
  previewReleases,
  type ReleaseRequest,
} from "../../../../shared/environments/helm/deployReleases.ts";
import {
  previewDefaultValues,
  readDefaultValues,
  setDefaultValues,
} from "../../../../shared/environments/helm/setDefaultValues.ts";
import { type EnvironmentName, requireEnvironment } from "../../../../shared/environments/requireEnvironment.ts";
import type { Handlers, Previews } from "../../../../shared/http/createApi.ts";
import { success, successWith } from "../../../../shared/http/schemas.ts";
import { askHelm } from "../../../../shared/packaging/helm/askHelm.ts";
import { ChartProblem } from "../../../../shared/packaging/helm/chartProblem.ts";
import { createHelmEnvironment } from "../create.ts";
import { environmentOfEitherKind, requireEitherKind } from "../environmentOfEitherKind.ts";
import type { helmRoutes } from "./helmRoutes.ts";
import type { releases } from "./helmSchemas.ts";

export const helmHandlers: Handlers<typeof helmRoutes> = {
  createHelmEnvironment: async ({ query, body, caller }) => {
    await createHelmEnvironment(query.projectKey, body, caller);
    return success;
  },
  deployReleases: async ({ params, query, body, caller }) => {
    const name = await environmentOfEitherKind(query.projectKey, params.envName);
    await deployReleases(name, toRequests(body, params.envName), caller);
    return body.services.map(() => ({ env_name: params.envName, status: "updating", err_message: "" }));
  },
  readDefaultValues: async ({ params, query }) => {
    const environment = await requireEitherKind(query.projectKey, params.envName, { consistent: false });
    return { default_values: await readDefaultValues(environment) };
  },
  setDefaultValues: async ({ params, query, body, caller }) => {
    const name = await environmentOfEitherKind(query.projectKey, params.envName);
    return successWith(await setDefaultValues(name, body.default_values, caller));
  },
  readTestReleaseValues: ({ query }) =>
    readValuesOfRelease({ ...query, envKey: query.envName, production: false }, query.serviceName),
  readProductionReleaseValues: ({ query }) =>
    readValuesOfRelease({ ...query, envKey: query.envName, production: true }, query.serviceName),
};

export const helmPreviews: Previews<typeof helmRoutes> = {
  deployReleases: async ({ params, query, body, caller }) => {
    const name = await environmentOfEitherKind(query.projectKey, params.envName);
    return previewReleases(name, toRequests(body, params.envName), caller);
  },
  setDefaultValues: async ({ params, query, body, caller }) => {
    const name = await environmentOfEitherKind(query.projectKey, params.envName);
    return previewDefaultValues(name, body.default_values, caller);
  },
};

function toRequests({ env_name, services }: z.output<typeof releases>, envName: string): ReleaseRequest[] {
  if (env_name !== undefined && env_name !== envName) {
    const problem = `must be the environment of the path, ${envName}, or be left out`;
    throw badRequest([{ in: "body", path: "env_name", problem }]);
  }
  return services.map(({ service_name, values_yaml, override_kvs, import_values_from_git, deploy_strategy }) => {
    if (deploy_strategy === "import" && [values_yaml, override_kvs, import_values_from_git].some(isSent)) {
      const problem = `service ${service_name}: a release that is imported keeps its values; leave values_yaml, override_kvs and import_values_from_git out and deploy it with them afterwards`;
      throw badRequest([{ in: "body", path: "services", problem }]);
    }
    const strategy = deploy_strategy === "deploy" ? undefined : deploy_strategy;
    const values = { valuesYaml: values_yaml, overrideKvs: override_kvs };
    const valuesFile = import_values_from_git ?? undefined;
    return { name: service_name, variables: [], ...values, valuesFile, strategy };
  });
}

const isSent = (value: unknown): boolean => value !== undefined && value !== null;

/**
 * All values of a release, as Helm itself tells them (contract P 6.3).
 * @throws ApiError 404 unknown environment or release; 6078 when the cluster cannot tell
 */
async function readValuesOfRelease(name: EnvironmentName, service: string): Promise<string> {
  const { environment, services } = await requireEnvironment(name, { consistent: false });
  const release = services.find((candidate) => candidate.name === service)?.release;
  if (release === undefined) throw notFound(`release ${service} in environment ${name.envKey}`);
  const { projectKey, envKey, environmentId, clusterId, namespace, production } = environment;
  try {
    const asked = { projectKey, envKey, environmentId, clusterId, namespace, production, service };
    return (await askHelm("values", asked)) as string;
  } catch (error) {
    if (!(error instanceof ChartProblem)) throw error;
    throw new ApiError(6078, `failed get chart values: ${error.message}`);
  }
}
