import type * as z from "zod";
import { ApiError, badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { deleteVersion, retryVersion } from "../../../shared/delivery/changeVersion.ts";
import { compareVersions } from "../../../shared/delivery/compareVersions.ts";
import { createVersion } from "../../../shared/delivery/createVersion.ts";
import { deployVersion, previewVersion } from "../../../shared/delivery/deployVersion.ts";
import { mergedValues } from "../../../shared/delivery/rules/mergedValues.ts";
import {
  findVersionId,
  findWholeVersion,
  labelsOfVersions,
  pageOfVersions,
} from "../../../shared/delivery/store/versions.ts";
import { versionChart } from "../../../shared/delivery/versionChart.ts";
import { versionManifest } from "../../../shared/delivery/versionManifest.ts";
import { createApi, type Handlers } from "../../../shared/http/createApi.ts";
import { success, successWith } from "../../../shared/http/schemas.ts";
import { nextChartVersions } from "../../../shared/packaging/charts/nextChartVersions.ts";
import { listReleases } from "./listReleases.ts";
import { deployableVersion, readableVersion } from "./readableVersion.ts";
import { deliveryRoutes } from "./routes.ts";
import type { newVersion } from "./schemas.ts";
import { differenceAnswer, listItem, versionAnswer } from "./wire.ts";

type Delivery = Handlers<typeof deliveryRoutes>;

const read: Delivery["getDeliveryVersion"] = async ({ params, query, caller }) =>
  versionAnswer(await readableVersion(caller, params.id, query.projectKey));

const remove: Delivery["deleteDeliveryVersion"] = async ({ params, query }) => {
  await deleteVersion(query.projectKey, params.id);
  return success;
};

const create: Delivery["createDeliveryVersion"] = async ({ body, caller }) => {
  const none = { chartRepoName: "", originalChartRepoName: "" };
  await createVersion({ ...askedOf(body, caller), ...none, versionType: "K8SYaml", services: body.services });
  return success;
};

const createOfCharts: Delivery["createChartVersion"] = async ({ body, caller }) => {
  const repositories = {
    chartRepoName: body.chart_repo_name,
    originalChartRepoName: body.original_chart_repo_name,
  };
  await createVersion({
    ...{ ...askedOf(body, caller), ...repositories },
    ...{ versionType: "HelmChart", services: body.services },
  });
  return success;
};

type Sent = Omit<z.output<typeof newVersion>, "services">;

function askedOf(body: Sent, caller: { name: string }) {
  const { source, labels, desc: description, image_registry_id: registryId } = body;
  return {
    ...{ projectKey: body.project_key, name: body.version_name, source, labels, description, registryId },
    ...{ envKey: body.env_name, originalName: body.original_version_name, production: body.production === true },
    createdBy: caller.name,
  };
}

const retry: Delivery["retryDeliveryVersion"] = async ({ query, body }) => {
  const id = body?.id ?? query.id;
  if (id === undefined) throw badRequest([{ in: "body", path: "id", problem: "id can't be empty!" }]);
  await retryVersion(body?.project_key ?? query.projectKey ?? "", id);
  return success;
};

const listOlder: Delivery["listReleases"] = async ({ query, caller, setHeader }) => {
  const { releases, total } = await listReleases(query, caller);
  setHeader("x-total", String(total));
  return releases;
};

const apiHandlers: Delivery = {
  listReleases: listOlder,
  listDirectoryReleases: listOlder,
  listDeliveryVersions: async ({ query }) => {
    const { total, summaries } = await pageOfVersions(query.projectKey, query.pageNum, query.pageSize);
    return { list: summaries.map(listItem), total };
  },
  getDeliveryVersionByName: async ({ query: { projectKey, versionName } }) => {
    const id = await findVersionId(projectKey, versionName);
    const whole = id === undefined ? undefined : await findWholeVersion(id, { consistent: false });
    if (whole === undefined) throw notFound(`delivery version ${versionName} in project ${projectKey}`);
    return versionAnswer(whole);
  },
  getDeliveryVersion: read,
  deleteDeliveryVersion: remove,
  createDeliveryVersion: create,
  createChartVersion: createOfCharts,
  retryDeliveryVersion: retry,
  getConsoleDeliveryVersion: read,
  deleteConsoleDeliveryVersion: remove,
  createConsoleDeliveryVersion: create,
  createConsoleChartVersion: createOfCharts,
  retryConsoleDeliveryVersion: retry,

  getVersionManifest: async ({ params, query, caller }) =>
    versionManifest(await readableVersion(caller, params.id, query.projectKey)),

  compareVersions: async ({ params, query, caller }) => {
    const [before, after] = await Promise.all([
      readableVersion(caller, params.id, query.projectKey),
      readableVersion(caller, params.other, undefined),
    ]);
    return differenceAnswer(before.version, after.version, await compareVersions(before, after));
  },

  deployVersion: async ({ params, query, body, caller }) => {
    const version = await deployableVersion(caller, params.id, query.projectKey);
    return successWith(await deployVersion(version, environmentOf(query, body), body.services, caller));
  },

  listVersionLabels: ({ query }) => labelsOfVersions(query.projectKey),

  checkVersionName: async ({ query: { projectKey, version } }) => {
    if (version.trim() === "") throw new ApiError(6566, "version name cannot be empty");
    if ((await findVersionId(projectKey, version)) === undefined) return success;
    throw new ApiError(6566, `version ${version} already exist`);
  },

  downloadChart: async ({ query, setHeader }) => {
    const { file, archive } = await versionChart(query.projectKey, query.version, query.chartName);
    setHeader("content-disposition", `attachment; filename="${file}"`);
    return archive.toString("base64");
  },

  nextChartVersions: async ({ query }) => {
    const found = await nextChartVersions(query.chartRepoName, query.chartName);
    return found.map(({ name: chartName, version: chartVersion, next: nextChartVersion, url }) => {
      return { chartName, chartVersion, nextChartVersion, url };
    });
  },

  mergeGlobalVariables: async ({ body }) => ({
    services: body.services.map(({ service_name, yaml_content }) => ({
      service_name,
      yaml_content: mergedValues(yaml_content, body.globalVariables),
    })),
  }),
};

export const handler = createApi(deliveryRoutes, apiHandlers, {
  deployVersion: async ({ params, query, body, caller }) => {
    const version = await deployableVersion(caller, params.id, query.projectKey);
    return previewVersion(version, environmentOf(query, body), body.services, caller);
  },
});

function environmentOf({ projectKey }: { projectKey: string }, body: { env_key: string; production: boolean }) {
  return { projectKey, envKey: body.env_key, production: body.production };
}
