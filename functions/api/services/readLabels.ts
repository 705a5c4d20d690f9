import { ApiError, notFound } from "../../../shared/errors/apiError.ts";
import { findLabelKeys } from "../../../shared/projects/store/labels.ts";
import { findServiceLabels } from "../../../shared/services/store/serviceLabels.ts";
import type { ServiceKind } from "../../../shared/store/keys.ts";

/**
 * The labels of a service by key, of both kinds when `production` is not given (contract P 2.2).
 * @throws ApiError 404; 500 for a label whose definition is missing, in the words of the specification's section 7
 */
export async function readLabels(
  projectKey: string,
  name: string,
  production: boolean | undefined,
): Promise<{ key: string; value: string }[]> {
  const kinds: ServiceKind[] = production === undefined ? ["test", "production"] : [production ? "production" : "test"];
  const [bindings, { byId }] = await Promise.all([
    findServiceLabels(projectKey, kinds, name),
    findLabelKeys({ consistent: false }),
  ]);
  if (bindings === undefined) throw notFound(`service ${name} of project ${projectKey}`);
  const labels = bindings.map(({ labelId, value }) => ({ key: byId[labelId] ?? missing(labelId), value }));
  return labels.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function missing(labelId: string): never {
  const description = `failed to find the definition of label ${labelId}`;
  throw new ApiError(500, description, { message: "Internal Error" });
}
