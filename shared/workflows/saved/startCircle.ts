import type { Problem } from "../../base/errors/apiError.ts";
import type { WorkflowDefinition } from "../definition/definition.ts";
import { bodyProblem, placedJobs } from "../definition/placedJobs.ts";
import { kind as workflowTrigger } from "../jobs/workflow-trigger/kind.ts";
import { triggersAfter } from "../triggers/records/triggers.ts";
import { findWorkflow } from "./store/workflows.ts";

/** What a job starts, with the field that names it. */
interface Started {
  key: string;
  path: string;
}

const lists = ["fixed_workflow_list", "service_trigger_workflow"] as const;

/** The workflows that jobs of a definition start. */
function startedByJobs({ stages }: Pick<WorkflowDefinition, "stages">): Started[] {
  return placedJobs(stages).flatMap(({ job, path }) => {
    const spec = job.type === workflowTrigger.type ? workflowTrigger.schema.safeParse(job.spec ?? {}).data : undefined;
    return lists.flatMap((list) =>
      (spec?.[list] ?? []).map(({ workflow_name: key }, at) => {
        return { key, path: `${path}.spec.${list}[${at}].workflow_name` };
      }),
    );
  });
}

/** Whether saving a definition may close a circle. */
export function startsOthers(definition: Pick<WorkflowDefinition, "stages">): boolean {
  return startedByJobs(definition).length > 0;
}

/** Circles that a definition would close: a workflow that starts itself, by whatever way, never ends (decisions 19.5). */
export async function circleProblems(definition: WorkflowDefinition): Promise<Problem[]> {
  const problems = startedByJobs(definition).map(async ({ key, path }): Promise<Problem[]> => {
    const way = await wayOfStarts(key, definition.name);
    if (way === undefined) return [];
    return [bodyProblem(path, circleSentence([definition.name, ...way]))];
  });
  return (await Promise.all(problems)).flat();
}

/** @param way begins and ends with the same workflow */
export function circleSentence(way: readonly string[]): string {
  return `closes a circle: ${way.join(" → ")}; a workflow cannot start itself`;
}

/**
 * How one workflow leads to another one: by jobs that start workflows, and by workflows that follow others.
 * @returns the keys from the first to the last; undefined when it does not
 */
export async function wayOfStarts(from: string, to: string): Promise<string[] | undefined> {
  const seen = new Set<string>();
  const ahead = [[from]];
  for (let way = ahead.pop(); way !== undefined; way = ahead.pop()) {
    const last = way.at(-1) ?? "";
    if (last === to) return way;
    if (seen.has(last)) continue;
    seen.add(last);
    const workflow = await findWorkflow(last);
    if (workflow === undefined) continue;
    const followers = await triggersAfter(workflow.workflowId);
    const next = [
      ...startedByJobs(workflow.definition).map(({ key }) => key),
      ...followers.map(({ workflowKey }) => workflowKey),
    ];
    for (const key of next) ahead.push([...way, key]);
  }
  return undefined;
}
