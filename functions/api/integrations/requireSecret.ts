import { badRequest } from "../../../shared/base/errors/apiError.ts";

/**
 * @param before names of the secrets that are stored
 * @throws ApiError 400 when a secret that a record cannot do without is neither given nor stored
 */
export function requireSecret(field: string, path: string, given: string, before: readonly string[]): void {
  if (given !== "" || before.includes(field)) return;
  throw badRequest([{ in: "body", path, problem: "is required: none of this kind is stored" }]);
}
