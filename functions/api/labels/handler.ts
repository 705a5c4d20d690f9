import { badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import {
  findLabelledService,
  type LabelledService,
  setServiceLabels,
} from "../../../shared/projects/services/store/serviceLabels.ts";
import { findLabel, listLabels } from "../../../shared/projects/store/labels.ts";
import { defineLabel, redefineLabel, removeDefinedLabel } from "./defineLabel.ts";
import { labelRoutes } from "./routes.ts";

/** Keeps the place of a service, which every creation reads, small. */
const maxBindings = 50;

/**
 * Gives a service a label with a value; another value replaces the one it has.
 * @throws ApiError 404 for an unknown service or label, 400 for too many labels
 */
function bindLabel(service: LabelledService, labelId: string, value: string): Promise<void> {
  return retryOnConflict(async () => {
    const [found, label] = await Promise.all([findLabelledService(service), findLabel(labelId)]);
    if (found === undefined) throw notFound(`${service.kind} service ${service.name} of project ${service.projectKey}`);
    if (label === undefined) throw notFound(`label ${labelId}`);
    const labels = { ...found.labels, [labelId]: value };
    if (Object.keys(labels).length > maxBindings)
      throw badRequest([{ in: "body", path: "label_id", problem: `a service has at most ${maxBindings} labels` }]);
    if (found.labels?.[labelId] !== value) await setServiceLabels(service, found.version, labels, labelId);
  });
}

/** Does nothing when the service does not have the label, or does not stand (decisions 1.1). */
function unbindLabel(service: LabelledService, labelId: string): Promise<void> {
  return retryOnConflict(async () => {
    const found = await findLabelledService(service);
    const { [labelId]: gone, ...labels } = found?.labels ?? {};
    if (found !== undefined && gone !== undefined) await setServiceLabels(service, found.version, labels);
  });
}

export const handler = createApi(labelRoutes, {
  listLabels: async () => {
    const labels = await listLabels();
    return labels.map(({ labelId, key, description, createdAt, updatedAt }) => {
      return { id: labelId, key, description, created_at: createdAt, updated_at: updatedAt };
    });
  },

  createLabel: async ({ body }) => ({ ...success, id: await defineLabel(body) }),

  updateLabel: async ({ params, body }) => {
    await redefineLabel(params.id, body);
    return success;
  },

  deleteLabel: async ({ params }) => {
    await removeDefinedLabel(params.id);
    return success;
  },

  addServiceLabel: async ({ body }) => {
    await bindLabel(serviceOf(body), body.label_id, body.value);
    return success;
  },

  removeServiceLabel: async ({ body }) => {
    await unbindLabel(serviceOf(body), body.label_id);
    return success;
  },
});

function serviceOf(body: { project_key: string; service_name: string; production: boolean }): LabelledService {
  const kind = body.production ? "production" : "test";
  return { projectKey: body.project_key, kind, name: body.service_name };
}
