import { listObjects } from "../../../aws/objects/listObjects.ts";
import { signAddress } from "../../../aws/objects/signAddress.ts";
import { archivePrefix } from "./archivePrefix.ts";
import { type JobName, requireJob } from "./namedJob.ts";

/** A file that a job kept, and where it can be fetched from without any other credential. */
export interface KeptFile {
  /** `html/…` of an HTML report, `archive/…` of a test or a scan, else the file's own name; a folder is a `.tar.gz`. */
  name: string;
  sizeBytes: number;
  url: string;
  /** In Unix seconds. */
  expiresAt: number;
}

const linkSeconds = 15 * 60;

/** What a job kept until now, by name. @throws ApiError 404 for an unknown workflow, task or job */
export async function keptFiles(name: JobName): Promise<KeptFile[]> {
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
