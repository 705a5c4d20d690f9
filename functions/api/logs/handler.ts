import { Readable } from "node:stream";
import { listObjects } from "../../../shared/base/aws/objects/listObjects.ts";
import { signAddress } from "../../../shared/base/aws/objects/signAddress.ts";
import { type QualityKind, qualityKey } from "../../../shared/base/common/ownerKey.ts";
import { type LogPosition, logPositionOf } from "../../../shared/base/common/timedLines.ts";
import { notFound } from "../../../shared/base/errors/apiError.ts";
import { followPodLog } from "../../../shared/environments/workloads/followPodLog.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { eventStream } from "../../../shared/http/stream/eventStream.ts";
import { archivePrefix } from "../../../shared/workflows/jobs/container/archivePrefix.ts";
import { followJobLog, storedJobLog } from "../../../shared/workflows/jobs/container/jobLog.ts";
import { type JobName, requireJob } from "../../../shared/workflows/jobs/container/namedJob.ts";
import { logRoutes } from "./routes.ts";

/** A file that a job kept, and where it can be fetched from without any other credential. */
interface KeptFile {
  /** `html/…` of an HTML report, `archive/…` of a test or a scan, else the file's own name; a folder is a `.tar.gz`. */
  name: string;
  sizeBytes: number;
  url: string;
  /** In Unix seconds. */
  expiresAt: number;
}

const linkSeconds = 15 * 60;

/** What a job kept until now, by name. @throws ApiError 404 for an unknown workflow, task or job */
async function keptFiles(name: JobName): Promise<KeptFile[]> {
  const { whole, plan } = await requireJob(name);
  const prefix = archivePrefix({ task: whole.task, job: plan });
  const expiresAt = Math.floor(Date.now() / 1000) + linkSeconds;
  return Promise.all(
    (await listObjects(prefix)).map(async ({ key, sizeBytes }) => ({
      ...{ name: key.slice(prefix.length), sizeBytes, expiresAt },
      url: await signAddress("GET", key, linkSeconds),
    })),
  );
}

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
