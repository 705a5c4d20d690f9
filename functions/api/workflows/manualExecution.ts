import type * as z from "zod";
import type { ApprovalUser } from "../../../shared/workflows/definition/definition.ts";
import type { WholeTask } from "../../../shared/workflows/records/findTasks.ts";
import type { TaskActor } from "../../../shared/workflows/records/task.ts";
import { mayExecute, pausedStage } from "../../../shared/workflows/tasks/executeStage.ts";
import type { manualExecState } from "./taskSchemas.ts";

/** Which stage waits to be executed, and by whom (contract W 2.12). @throws ApiError 400 when none does */
export function manualExecution(
  whole: WholeTask,
  caller: TaskActor,
  isAdministrator: boolean,
): z.input<typeof manualExecState> {
  const { task, plan } = whole;
  const stage = pausedStage(whole);
  const stated = plan.stages[stage]?.manualExec?.stated.manual_exec_users;
  const users = (Array.isArray(stated) ? stated : []) as ApprovalUser[];
  return {
    project_key: task.owner.projectKey,
    workflow_key: task.owner.key,
    task_id: task.taskId,
    status: task.status,
    stage_name: plan.stages[stage]?.name ?? "",
    can_execute: mayExecute(whole, stage, caller, isAdministrator),
    executors: users.map(({ type, user_id, user_name, group_id, group_name }) => ({
      ...{ type: type || "user", user_id: user_id ?? "", user_name: user_name ?? "" },
      ...{ group_id: group_id ?? "", group_name: group_name ?? "" },
    })),
  };
}
