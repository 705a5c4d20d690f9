import * as z from "zod";
import { withAliases } from "../../../shared/base/common/withAliases.ts";
import { filled } from "../../../shared/http/schemas.ts";
import { refuseDuplicates } from "../../../shared/workflows/definition/script/refuseDuplicates.ts";
import { maxRepositories, pullRequestsOf } from "../../../shared/workflows/definition/script/repository.ts";
import { optionalText } from "../../../shared/workflows/definition/script/texts.ts";
import { jobStatuses, taskStatuses } from "../../../shared/workflows/records/rules/status.ts";

/** The number of a task in a path (contract W 12.3, 13.2). */
const taskId = z
  .string()
  .regex(/^\d{1,12}$/, { error: "invalid param taskID", abort: true })
  .transform(Number)
  .refine((number) => number > 0, "invalid params");

const text = z.string("must be a text").max(65_536, "must have at most 65536 characters");
const pullRequests = z.array(z.int("must be a whole number").min(0), "must be a list").max(100).nullish();
const repositories = <Sent extends z.ZodType>(one: Sent) =>
  z.array(one, "must be a list").max(maxRepositories, `must have at most ${maxRepositories} repositories`);

const value = z.object({
  key: z.string("key cannot be empty").min(1, { error: "key cannot be empty", abort: true }).max(128),
  value: text,
});
const values = z.array(value, "must be a list").max(100, "must have at most 100 entries");

/** What a start call of a test says of a repository (contract W 13.1). */
const testRepository = withAliases(
  z
    .object({
      codehost_name: filled("codehost_name", 64),
      repo_namespace: filled("repo_namespace"),
      repo_name: filled("repo_name"),
      branch: optionalText().nullish(),
      pr: z.int("must be a whole number").min(0).nullish(),
      prs: pullRequests,
      enable_commit: z.boolean("must be true or false").nullish(),
      commit_id: optionalText(64).nullish(),
    })
    .superRefine(({ branch, enable_commit, commit_id }, context) => {
      if (!branch && !(enable_commit && commit_id))
        context.addIssue({ code: "custom", path: ["branch"], message: "branch cannot be empty" });
    }),
  { repo_namespace: ["repo_owner"] },
).transform((sent) => ({
  codeHostName: sent.codehost_name,
  namespace: sent.repo_namespace,
  name: sent.repo_name,
  branch: sent.branch ?? "",
  pullRequests: pullRequestsOf({ pr: sent.pr ?? 0, prs: sent.prs ?? [] }),
  commitId: sent.enable_commit === true ? (sent.commit_id ?? "") : "",
}));

const testName = z.string("test name cannot be empty").min(1, "test name cannot be empty").max(64);

export const testStart = z
  .object({
    project_key: z.string("project key cannot be empty").min(1, "project key cannot be empty").max(256),
    test_name: testName,
    repo_info: repositories(testRepository)
      .superRefine((list, context) => {
        const seen = new Set<string>();
        for (const [position, { codeHostName, namespace, name }] of list.entries()) {
          const place = JSON.stringify([codeHostName, namespace, name]);
          if (seen.has(place))
            context.addIssue({
              code: "custom",
              path: [position],
              message: `duplicated repository: ${namespace}/${name}`,
            });
          seen.add(place);
        }
      })
      .nullish(),
    inputs: values.superRefine(refuseDuplicates("key")).nullish(),
  })
  .transform(({ project_key, test_name, repo_info, inputs }) => ({
    ...{ projectKey: project_key, testName: test_name },
    ...{ repositories: repo_info ?? [], values: inputs ?? [] },
  }));

/** What a start call of a scan says of a repository (contract W 12.2). */
const scanRepository = z
  .object({
    source: filled("source", 64),
    repo_owner: filled("repo_owner"),
    repo_name: filled("repo_name"),
    branch: optionalText().min(1, "branch cannot be empty"),
    prs: pullRequests,
  })
  .transform(({ source, repo_owner, repo_name, branch, prs }) => ({
    ...{ source, namespace: repo_owner, name: repo_name, branch, commitId: "" },
    pullRequests: pullRequestsOf({ prs: prs ?? [] }),
  }));

/** A call without a body overrides nothing (contract W 12.2). */
export const scanStart = z
  .object({ scan_repos: repositories(scanRepository).nullish(), scan_kvs: values.nullish() })
  .optional()
  .transform((sent) => ({ repositories: sent?.scan_repos ?? [], values: sent?.scan_kvs ?? [] }));

export const started = z.object({ task_id: z.int() }).meta({ id: "StartedQualityTask" });

export const scanInPath = z.object({ scanName: z.string() });
export const scanTaskPath = scanInPath.extend({ taskID: taskId });
export const testTaskPath = z.object({ testName: z.string(), taskID: taskId });

const problem = z.object({ message: z.string(), type: z.string(), text: z.string() }).nullable();

/** Contract W 13.2; `skiped_total` is its spelling. */
const testReport = z.object({
  test_total: z.int(),
  success_total: z.int(),
  failure_total: z.int(),
  skiped_total: z.int(),
  error_total: z.int(),
  time: z.number(),
  test_cases: z.array(z.object({ name: z.string(), time: z.number(), failure: problem, error: problem })),
});

export const testTask = z
  .object({
    test_name: z.string(),
    task_id: z.int(),
    creator: z.string(),
    create_time: z.int(),
    start_time: z.int(),
    end_time: z.int(),
    status: z.enum(taskStatuses),
    error: z.string().meta({ description: "Why it did not pass; empty when it did, or has not ended" }),
    /** Null until the run has ended, and when it brought none. */
    test_report: testReport.nullable(),
  })
  .meta({ id: "TestTask" });

export const scanTask = z
  .object({
    scan_name: z.string(),
    creator: z.string(),
    task_id: z.int(),
    /** The job's once it has one (contract W 12.3). */
    status: z.enum([...taskStatuses, ...jobStatuses]),
    create_time: z.int(),
    end_time: z.int(),
    result_link: z.string(),
    repo_info: z.array(
      z.object({
        repo_owner: z.string(),
        source: z.string(),
        address: z.string(),
        branch: z.string(),
        remote_name: z.string(),
        repo_name: z.string(),
        hidden: z.boolean(),
        checkout_path: z.string(),
        submodules: z.boolean(),
        prs: z.array(z.int()),
      }),
    ),
  })
  .meta({ id: "CodeScanTask" });
