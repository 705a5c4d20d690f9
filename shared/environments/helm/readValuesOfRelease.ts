import { ApiError, notFound } from "../../errors/apiError.ts";
import { askHelm } from "../../helm/askHelm.ts";
import { ChartProblem } from "../../helm/chartProblem.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";

/**
 * All values of a release, as Helm itself tells them (contract P 6.3).
 * @throws ApiError 404 unknown environment or release; 6078 when the cluster cannot tell
 */
export async function readValuesOfRelease(name: EnvironmentName, service: string): Promise<string> {
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
