import { ApiError } from "../../../../base/errors/apiError.ts";
import { metricServers } from "../../../../integrations/store/metricServers.ts";
import type { Analysis } from "./analyses.ts";

/** @throws ApiError 6160 for a server that is not there, or of another type than its analysis asks */
export async function requireServers(job: string, analyses: readonly Analysis[]): Promise<void> {
  for (const { name, provider, integrationId } of analyses) {
    if (provider === "kubernetes" || provider === "job") continue;
    const server = await metricServers.find(integrationId);
    if (server?.shown.type === provider) continue;
    const is = server === undefined ? "does not exist" : `is of type ${server.shown.type}`;
    throw new ApiError(
      6160,
      `job ${job}: analysis ${name} asks a ${provider} server, and metric server ${integrationId} ${is}`,
    );
  }
}
