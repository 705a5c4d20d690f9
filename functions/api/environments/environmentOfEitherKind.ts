import { notFound } from "../../../shared/base/errors/apiError.ts";
import type { EnvironmentName } from "../../../shared/environments/requireEnvironment.ts";
import { type EnvironmentRecord, findEnvironment } from "../../../shared/environments/store/environments.ts";

/**
 * The environment that a path without a production form means; the permission was checked for its kind (decisions 6.4).
 * @throws ApiError 404 for an unknown one
 */
export async function environmentOfEitherKind(projectKey: string, envKey: string): Promise<EnvironmentName> {
  const { production } = await requireEitherKind(projectKey, envKey);
  return { projectKey, envKey, production };
}

/** Its record. @throws ApiError as `environmentOfEitherKind` */
export async function requireEitherKind(
  projectKey: string,
  envKey: string,
  options: { consistent?: boolean } = {},
): Promise<EnvironmentRecord> {
  const environment = await findEnvironment(projectKey, envKey, options);
  if (environment === undefined) throw notFound(`environment ${envKey} in project ${projectKey}`);
  return environment;
}
