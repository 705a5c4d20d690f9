import { Readable } from "node:stream";
import { notFound } from "../../../shared/domain/errors/apiError.ts";
import { followPodLog } from "../../../shared/environments/followPodLog.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { eventStream } from "../../../shared/http/eventStream.ts";
import { followJobLog, storedJobLog } from "../../../shared/jobs/container/jobLog.ts";
import { logRoutes } from "./routes.ts";

export const handler = createApi(logRoutes, {
  followJobLog: async (input) => {
    const { workflowName: ownerKey, taskID: taskId, jobName: job, lines: tailLines } = input.params;
    const name = { ownerKey, taskId, job };
    return eventStream(input, async (signal) => followJobLog(name, { tailLines, signal }));
  },
  getJobLog: async ({ params: { workflowName: ownerKey, taskID: taskId, jobName: job } }) =>
    Readable.from(storedJobLog({ ownerKey, taskId, job })),
  followContainerLog: async (input) => {
    const { environment, params, query } = input;
    const { projectKey, envName, tails, since } = query;
    if (environment === undefined) throw notFound(`environment ${envName} in project ${projectKey}`);
    const asked = { ...params, tailLines: tails, sinceSeconds: since };
    return eventStream(input, (signal) => followPodLog(environment, asked, signal));
  },
});
