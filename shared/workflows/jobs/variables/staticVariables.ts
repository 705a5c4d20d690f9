import { utcText } from "../../../base/common/dateTime.ts";
import { taskUrl } from "../../../integrations/notify/taskUrl.ts";
import type { WorkflowDefinition, WorkflowParam } from "../../definition/definition.ts";
import type { PlanScope } from "../planner.ts";

/** What is known when the task is created (contract W 6). Values of credentials are not among it. */
export function staticVariables(
  scope: Omit<PlanScope, "definition" | "keepSecret"> & { definition: Pick<WorkflowDefinition, "params"> },
): [string, string][] {
  const { project, workflow, isOfReleasePlan = false, isPreview = false, definition } = scope;
  return [
    ["project", project.key],
    ["project.id", project.key],
    ["project.name", project.name],
    ["workflow.id", workflow.key],
    ["workflow.name", workflow.name],
    ...(isPreview ? [] : taskVariables(scope)),
    ["workflow.task.is_release_plan_trigger", String(isOfReleasePlan)],
    ...definition.params.flatMap(paramVariable),
  ];
}

function taskVariables({
  project,
  workflow,
  taskId,
  creator,
  startedAt,
}: Omit<PlanScope, "definition" | "keepSecret">): [string, string][] {
  return [
    ["workflow.task.id", String(taskId)],
    ["workflow.task.timestamp", String(startedAt)],
    ["workflow.task.datetime", utcText(startedAt)],
    ["workflow.task.url", taskUrl({ ...workflow, projectKey: project.key }, taskId)],
    ["workflow.task.creator", creator.name],
    ["workflow.task.creator.id", creator.account],
    ["workflow.task.creator.userId", creator.uid],
  ];
}

/** Files and repositories are not used through text; credentials are replaced when a job begins. */
function paramVariable(param: WorkflowParam): [string, string][] {
  if (param.type === "file" || param.type === "repo" || param.is_credential === true) return [];
  return [[`workflow.params.${param.name}`, paramValue(param)]];
}

/** The value as text; chosen values of a multi-select are comma-joined. */
export function paramValue({ type, value, choice_value }: WorkflowParam): string {
  if (type === "multi-select" && choice_value?.length) return choice_value.join(",");
  return value === null || value === undefined ? "" : String(value);
}
