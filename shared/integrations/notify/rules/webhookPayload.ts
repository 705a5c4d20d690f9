import type { SystemHookEvent } from "../../rules/systemHookEvents.ts";
import type { NoticeEvent } from "./firingCtls.ts";
import { builtImage } from "./jobLines.ts";
import type { RepositoryNotice } from "./jobSpecNotice.ts";
import { commitUrl, primaryRepository } from "./repositoryLinks.ts";
import { detailUrl } from "./taskLinks.ts";
import type { JobNotice, StageNotice, TaskNotice } from "./taskNotice.ts";

/**
 * The body of type `webhook` and of the system-wide hook (contract W 15.3, 15.7). Before an approval it has no stages
 * and an empty task type.
 */
export function webhookPayload(
  notice: TaskNotice,
  event: NoticeEvent,
  hookEvent: "workflow" | SystemHookEvent,
): object {
  const waits = event === "wait_for_approval";
  const { workflow, project, creator, releasePlan } = notice;
  return {
    object_kind: "workflow",
    event: hookEvent,
    workflow: {
      task_id: notice.taskId,
      project_name: project.key,
      project_display_name: project.displayName,
      workflow_name: workflow.key,
      workflow_display_name: workflow.displayName,
      ...(releasePlan !== undefined && { release_plan: releasePlan }),
      status: notice.status,
      remark: notice.remark,
      detail_url: detailUrl(notice),
      error: notice.error,
      create_time: notice.createTime,
      start_time: notice.startTime,
      end_time: notice.endTime,
      stages: waits ? null : notice.stages.map(stageOf),
      task_creator: creator.name,
      task_creator_id: creator.id,
      task_creator_email: creator.email,
      task_type: waits ? "" : notice.taskType,
    },
    release_plan: null,
  };
}

function stageOf({ name, status, startTime, endTime, jobs, error }: StageNotice): object {
  return { name, status, start_time: startTime, end_time: endTime, jobs: jobs.map(jobOf), error };
}

function jobOf(job: JobNotice): object {
  const { name, displayName, type, status, startTime, endTime, error } = job;
  return {
    ...{ name, display_name: displayName, type, status },
    ...{ start_time: startTime, end_time: endTime, error, spec: specOf(job) },
  };
}

function specOf(job: JobNotice): object | null {
  const { spec } = job;
  if (spec.kind === "deploy")
    return {
      env: spec.environment,
      service_name: spec.serviceName,
      service_modules: spec.serviceModules.map(({ serviceModule, image }) => ({
        service_module: serviceModule,
        image,
      })),
    };
  if (spec.kind !== "build") return null;
  const primary = primaryRepository(spec.repositories);
  return {
    repositories: spec.repositories.map((repository, at) =>
      repositoryOf(repository, at === 0 || repository === primary),
    ),
    image: builtImage(job),
  };
}

function repositoryOf(repository: RepositoryNotice, isLinked: boolean): object {
  return {
    source: repository.source,
    repo_owner: repository.owner,
    repo_namespace: repository.namespace,
    repo_name: repository.name,
    branch: repository.branch,
    prs: [...repository.pullRequests],
    tag: repository.tag,
    author_name: repository.authorName,
    commit_id: repository.commitId,
    commit_url: isLinked ? commitUrl(repository) : "",
    commit_message: repository.commitMessage,
  };
}
