import { badRequest, notFound } from "../../../shared/errors/apiError.ts";
import { findLabel } from "../../../shared/projects/store/labels.ts";
import {
  findLabelledService,
  type LabelledService,
  setServiceLabels,
} from "../../../shared/services/store/serviceLabels.ts";
import { retryOnConflict } from "../../../shared/store/retryOnConflict.ts";

/** Keeps the place of a service, which every creation reads, small. */
const maxBindings = 50;

/**
 * Gives a service a label with a value; another value replaces the one it has.
 * @throws ApiError 404 for an unknown service or label, 400 for too many labels
 */
export function bindLabel(service: LabelledService, labelId: string, value: string): Promise<void> {
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
export function unbindLabel(service: LabelledService, labelId: string): Promise<void> {
  return retryOnConflict(async () => {
    const found = await findLabelledService(service);
    const { [labelId]: gone, ...labels } = found?.labels ?? {};
    if (found !== undefined && gone !== undefined) await setServiceLabels(service, found.version, labels);
  });
}
