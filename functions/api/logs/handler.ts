import { notFound } from "../../../shared/domain/errors/apiError.ts";
import { followPodLog } from "../../../shared/environments/followPodLog.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { eventStream } from "../../../shared/http/eventStream.ts";
import { logRoutes } from "./routes.ts";

export const handler = createApi(logRoutes, {
  followContainerLog: async (input) => {
    const { environment, params, query } = input;
    const { projectKey, envName, tails, since } = query;
    if (environment === undefined) throw notFound(`environment ${envName} in project ${projectKey}`);
    const asked = { ...params, tailLines: tails, sinceSeconds: since };
    return eventStream(input, (signal) => followPodLog(environment, asked, signal));
  },
});
