import { Readable } from "node:stream";
import { type QualityKind, qualityKey } from "../../../shared/common/ownerKey.ts";
import { type LogPosition, logPositionOf } from "../../../shared/common/timedLines.ts";
import { followPodLog } from "../../../shared/environments/followPodLog.ts";
import { notFound } from "../../../shared/errors/apiError.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { eventStream } from "../../../shared/http/eventStream.ts";
import { followJobLog, storedJobLog } from "../../../shared/workflows/jobs/container/jobLog.ts";
import { keptFiles } from "../../../shared/workflows/jobs/container/keptFiles.ts";
import type { JobName } from "../../../shared/workflows/jobs/container/namedJob.ts";
import { logRoutes } from "./routes.ts";

/** The one job of a task of a test or a code scan bears its name. */
function nameOf(kind: QualityKind, projectKey: string, name: string, taskId: number): JobName {
  return { ownerKey: qualityKey(kind, projectKey, name), taskId, job: name };
}

/** Where a client that comes again wants to go on; what is no id of ours counts as none. */
function seenBy({ headers }: { headers: Readonly<Record<string, string>> }): LogPosition | undefined {
  return logPositionOf(headers["last-event-id"] ?? "");
}

async function filesOf(name: JobName) {
  const files = await keptFiles(name);
  return {
    files: files.map(({ name, sizeBytes, url, expiresAt }) => ({
      ...{ name, size_bytes: sizeBytes, url, expires_at: expiresAt },
    })),
  };
}

export const handler = createApi(logRoutes, {
  followJobLog: async (input) => {
    const { workflowName: ownerKey, taskID: taskId, jobName: job, lines: tailLines } = input.params;
    const name = { ownerKey, taskId, job };
    return eventStream(input, async (signal) => followJobLog(name, { tailLines, after: seenBy(input), signal }));
  },
  getJobLog: async ({ params: { workflowName: ownerKey, taskID: taskId, jobName: job } }) =>
    Readable.from(await storedJobLog({ ownerKey, taskId, job })),
  getJobLogByOlderPath: async ({ params: { workflowName: ownerKey, taskID: taskId, jobName: job } }) =>
    Readable.from(await storedJobLog({ ownerKey, taskId, job })),
  listJobFiles: ({ params: { workflowName: ownerKey, taskID: taskId, jobName: job } }) =>
    filesOf({ ownerKey, taskId, job }),
  listTestFiles: ({ params, query }) => filesOf(nameOf("test", query.projectKey, params.testName, params.taskID)),
  listScanFiles: ({ params, query }) => filesOf(nameOf("scan", query.projectKey, params.scanName, params.taskID)),
  followTestLog: async (input) => {
    const { params, query } = input;
    const name = nameOf("test", query.projectKey, params.testName, params.taskID);
    return eventStream(input, async (signal) =>
      followJobLog(name, { tailLines: query.tails, after: seenBy(input), signal }),
    );
  },
  getTestLog: async ({ params, query }) =>
    Readable.from(await storedJobLog(nameOf("test", query.projectKey, params.testName, params.taskID))),
  followScanLog: async (input) => {
    const { params, query } = input;
    const name = nameOf("scan", query.projectKey, params.scanName, params.taskID);
    return eventStream(input, async (signal) =>
      followJobLog(name, { tailLines: query.tails, after: seenBy(input), signal }),
    );
  },
  getScanLog: async ({ params, query }) =>
    Readable.from(await storedJobLog(nameOf("scan", query.projectKey, params.scanName, params.taskID))),
  followContainerLog: async (input) => {
    const { environment, params, query } = input;
    const { projectKey, envName, tails, since } = query;
    if (environment === undefined) throw notFound(`environment ${envName} in project ${projectKey}`);
    const asked = { ...params, tailLines: tails, sinceSeconds: since, after: seenBy(input) };
    return eventStream(input, (signal) => followPodLog(environment, asked, signal));
  },
});
