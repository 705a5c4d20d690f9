import * as z from "zod";
import { repositoryForm } from "../../../shared/workflows/definition/script/repositoryForm.ts";
import type { TestReport } from "../../../shared/workflows/pods/rules/reports/testReport.ts";
import { jobOf } from "../../../shared/workflows/records/currentState.ts";
import type { WholeTask } from "../../../shared/workflows/records/findTasks.ts";
import type { scanTask, testTask } from "./taskSchemas.ts";

/** The one job of a task of a test or a scan, as far as it ran. */
export function jobOfTask(whole: WholeTask) {
  const plan = whole.plan.stages[0]?.jobs[0];
  return { plan, record: plan && jobOf(whole, plan.name) };
}

export function testTaskAnswer(whole: WholeTask, report: TestReport | undefined): z.input<typeof testTask> {
  const { task } = whole;
  return {
    test_name: task.owner.name,
    task_id: task.taskId,
    creator: task.creator.name,
    create_time: task.createTime,
    start_time: task.startTime,
    end_time: task.endTime,
    status: task.status,
    error: jobOfTask(whole).record?.error || task.error,
    test_report: report === undefined ? null : reportAnswer(report),
  };
}

function reportAnswer(report: TestReport): NonNullable<z.input<typeof testTask>["test_report"]> {
  return {
    test_total: report.testCaseNum,
    success_total: report.successCaseNum,
    failure_total: report.failedCaseNum,
    skiped_total: report.skipCaseNum,
    error_total: report.errorCaseNum,
    time: report.testTime,
    test_cases: [...report.testCases],
  };
}

const shownSpec = z.object({
  link_url: z.string().catch(""),
  repos: z.array(z.looseObject({ address: z.string().catch("") })).catch([]),
});

export function scanTaskAnswer(whole: WholeTask): z.input<typeof scanTask> {
  const { task } = whole;
  const { plan, record } = jobOfTask(whole);
  const { link_url, repos } = shownSpec.parse({ ...plan?.spec, ...record?.result });
  return {
    scan_name: task.owner.name,
    creator: task.creator.name,
    task_id: task.taskId,
    status: record?.status || task.status,
    create_time: task.createTime,
    end_time: task.endTime,
    result_link: link_url,
    repo_info: repos.map(repositoryAnswer),
  };
}

function repositoryAnswer(shown: z.output<typeof shownSpec>["repos"][number]) {
  const repository = repositoryForm.parse(shown);
  return {
    repo_owner: repository.owner,
    source: repository.source,
    address: shown.address,
    branch: repository.branch,
    remote_name: repository.remoteName,
    repo_name: repository.name,
    hidden: repository.hidden,
    checkout_path: repository.checkoutPath,
    submodules: repository.submodules,
    prs: [...repository.pullRequests],
  };
}
