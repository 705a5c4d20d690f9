import type { EnvironmentName } from "../../../shared/environments/requireEnvironment.ts";
import { findEnvironment } from "../../../shared/environments/store/environments.ts";
import { notFound } from "../../../shared/errors/apiError.ts";

/**
 * The environment that a path without a production form means; the permission was checked for its kind (decisions 6.4).
 * @throws ApiError 404 for an unknown one
 */
export async function environmentOfEitherKind(projectKey: string, envKey: string): Promise<EnvironmentName> {
  const environment = await findEnvironment(projectKey, envKey);
  if (environment === undefined) throw notFound(`environment ${envKey} in project ${projectKey}`);
  return { projectKey, envKey, production: environment.production };
}
