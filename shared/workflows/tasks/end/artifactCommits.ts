import * as z from "zod";
import { codeHosts } from "../../../integrations/store/codeHosts.ts";
import type { ArtifactCommit } from "../../../packaging/artifacts/rules/artifact.ts";
import type { JobPlan, JobRecord } from "../../records/task.ts";

const text = z.string().catch("");

/** A repository as task details show it, with the commit that was checked out (contract W 1.5). */
const shown = z.object({
  source: text,
  repo_owner: text,
  repo_namespace: text,
  repo_name: text,
  branch: text,
  tag: text,
  prs: z.array(z.int()).catch([]),
  commit_id: text,
  commit_message: text,
  author_name: text,
  codehost_id: z.union([z.int(), z.string()]).catch(""),
});

/** What was checked out for a job, with the addresses of the code hosts as they are now. */
export async function commitsOf({ plan, job }: { plan: JobPlan; job: JobRecord }): Promise<ArtifactCommit[]> {
  const listed = job.result.repos ?? plan.spec.repos;
  const repositories = Array.isArray(listed) ? listed.map((one: unknown) => shown.parse(one)) : [];
  return Promise.all(
    repositories.map(async (one) => ({
      address: one.codehost_id === "" ? "" : ((await codeHosts.find(String(one.codehost_id)))?.shown.address ?? ""),
      source: one.source,
      repoOwner: one.repo_owner || one.repo_namespace,
      repoName: one.repo_name,
      branch: one.branch,
      tag: one.tag,
      pr: one.prs.length === 1 ? (one.prs[0] ?? 0) : 0,
      prs: one.prs,
      commitId: one.commit_id,
      commitMessage: one.commit_message,
      authorName: one.author_name,
    })),
  );
}
