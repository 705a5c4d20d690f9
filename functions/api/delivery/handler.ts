import { deleteVersion, retryVersion } from "../../../shared/delivery/changeVersion.ts";
import { createVersion } from "../../../shared/delivery/createVersion.ts";
import { findVersionId, findWholeVersion, pageOfVersions } from "../../../shared/delivery/store/versions.ts";
import { badRequest, notFound } from "../../../shared/errors/apiError.ts";
import { createApi, type Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { readableVersion } from "./readableVersion.ts";
import { deliveryRoutes } from "./routes.ts";
import { listItem, versionAnswer } from "./wire.ts";

type Delivery = Handlers<typeof deliveryRoutes>;

const read: Delivery["getDeliveryVersion"] = async ({ params, query, caller }) =>
  versionAnswer(await readableVersion(caller, params.id, query.projectKey));

const remove: Delivery["deleteDeliveryVersion"] = async ({ params, query }) => {
  await deleteVersion(query.projectKey, params.id);
  return success;
};

const create: Delivery["createDeliveryVersion"] = async ({ body, caller }) => {
  const { source, services, labels, desc: description, image_registry_id: registryId } = body;
  await createVersion({
    ...{ projectKey: body.project_key, name: body.version_name, source, services, labels, description, registryId },
    ...{ envKey: body.env_name, originalName: body.original_version_name, production: body.production === true },
    createdBy: caller.name,
  });
  return success;
};

const retry: Delivery["retryDeliveryVersion"] = async ({ query, body }) => {
  const id = body?.id ?? query.id;
  if (id === undefined) throw badRequest([{ in: "body", path: "id", problem: "id can't be empty!" }]);
  await retryVersion(body?.project_key ?? query.projectKey ?? "", id);
  return success;
};

export const handler = createApi(deliveryRoutes, {
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
  retryDeliveryVersion: retry,
  getConsoleDeliveryVersion: read,
  deleteConsoleDeliveryVersion: remove,
  createConsoleDeliveryVersion: create,
  retryConsoleDeliveryVersion: retry,
});
