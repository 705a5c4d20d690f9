import { notFound } from "../base/errors/apiError.ts";
import { findWholeEnvironment, type WholeEnvironment } from "./store/environments.ts";

export interface EnvironmentName {
  projectKey: string;
  envKey: string;
  production: boolean;
}

/** The environment with its services. @throws ApiError 404, also for an environment of the other kind (contract P 0.13) */
export async function requireEnvironment(
  name: EnvironmentName,
  options: { consistent?: boolean } = { consistent: true },
): Promise<WholeEnvironment> {
  const found = await findWholeEnvironment(name.projectKey, name.envKey, options);
  if (found === undefined || found.environment.production !== name.production) throw environmentMissing(name);
  return found;
}

export function environmentMissing({ projectKey, envKey, production }: EnvironmentName): Error {
  return notFound(`${production ? "production" : "test"} environment ${envKey} in project ${projectKey}`);
}
