import { ApiError } from "../../../base/errors/apiError.ts";
import { type ConfigurationServer, configurationServers } from "../../../integrations/store/configurationServers.ts";
import { plannedIntegration } from "../outside/plannedIntegration.ts";

export const configurationSort = { noun: "configuration server", records: configurationServers };

/** The server that a job names. @throws ApiError 6160 when it is not for the project, or of another type */
export async function plannedServer(
  type: ConfigurationServer["type"],
  named: { job: string; field: string; id: string; projectKey: string },
): Promise<void> {
  const { name, shown } = await plannedIntegration(configurationSort, named);
  if (shown.type === type) return;
  throw new ApiError(
    6160,
    `job ${named.job}: ${named.field}: the configuration server ${name} is of type ${shown.type}`,
  );
}
