import type { Freeze } from "../../projects/freezes/rules/freeze.ts";
import { type FreezeInWindow, freezesBetween } from "../../projects/freezes/rules/windows.ts";
import { jobKindOf } from "../../workflows/definition/jobKinds.ts";
import type { EnvironmentPreview } from "../../workflows/jobs/preview.ts";
import { previewerOf } from "../../workflows/jobs/previews.ts";
import { textMasker } from "../../workflows/pods/rules/masker.ts";
import type { JobPlan, TaskPlan } from "../../workflows/records/task.ts";
import { previewStart } from "../../workflows/tasks/start/startWorkflow.ts";
import type { Plan, PlanJob } from "../rules/plan.ts";
import { specAhead } from "../workflowSpec.ts";
import type { DeployAhead } from "./lookAtAll.ts";
import { knownJobs, placesOf, sentenceOf } from "./placesAhead.ts";
import type { PreviewReader } from "./reader.ts";
import { restReason } from "./restReason.ts";

/** What a job of a workflow would do to one environment. */
export interface PlannedEnvironment extends EnvironmentPreview {
  jobName: string;
}

/** A job that was planned, and whose environments are still to be looked at. */
export interface PlannedJob {
  job: PlanJob;
  /** The reader may not see its workflow: there is nothing else then. */
  hidden: boolean;
  changed: boolean;
  freezes: FreezeInWindow[];
  environments: PlannedEnvironment[];
  notes: string[];
  error?: string;
  /** Leaves out credentials of the workflow. */
  mask(text: string): string;
}

export interface JobAhead extends Omit<PlannedJob, "environments" | "mask"> {
  deploys: DeployAhead[];
}

/** Unix seconds; at most so many windows of one freeze. */
export interface FreezeRange {
  from: number;
  to: number;
  most: number;
}

/** What a job of a plan would run, without asking a cluster. */
export async function jobAhead(
  plan: Plan,
  job: PlanJob,
  reader: PreviewReader,
  calendar: { freezes: readonly Freeze[]; range: FreezeRange },
): Promise<PlannedJob> {
  const none: PlannedJob = {
    ...{ job, hidden: false, changed: false, freezes: [], environments: [], notes: [] },
    mask: (text) => text,
  };
  const { workflow } = job;
  if (workflow === undefined) return { ...none, notes: ["somebody does it by hand"] };
  if ((await reader.workflowRefusal(workflow)) !== undefined) return { ...none, hidden: true };
  try {
    const spec = await specAhead(plan, job);
    const notes = spec.changed ? [changedNote(plan)] : [];
    const rest = restReason(plan, job);
    if (rest !== undefined) return { ...none, changed: spec.changed, notes: [...notes, rest] };
    const { plan: task, secrets } = await previewStart(spec.workflow, spec.open, spec.given, reader.actor);
    const planned = { ...none, changed: spec.changed, notes: [...notes, ...taskNotes(task)] };
    return { ...planned, ...(await environmentsOf(workflow.projectKey, task, secrets, reader, calendar)) };
  } catch (error) {
    return { ...none, error: sentenceOf(error) };
  }
}

function changedNote({ status }: Plan): string {
  return status === "planning"
    ? "the workflow was edited since the job was saved; what it says now is kept when planning ends"
    : "the workflow was edited since planning ended; the plan runs what was kept then";
}

async function environmentsOf(
  projectKey: string,
  task: TaskPlan,
  secrets: ReadonlyMap<string, string>,
  { actor }: PreviewReader,
  { freezes, range }: { freezes: readonly Freeze[]; range: FreezeRange },
): Promise<Pick<PlannedJob, "environments" | "freezes" | "mask"> & { error?: string }> {
  const jobs = knownJobs(task, secrets);
  const places = await placesOf(projectKey, jobs);
  const found: PlannedEnvironment[] = [];
  const errors: string[] = [];
  const mask = textMasker([...secrets.values()]);
  for (const { type, run, originName } of jobs) {
    try {
      const environments = (await (await previewerOf(type))?.({ projectKey, run, creator: actor })) ?? [];
      found.push(...environments.map((one) => ({ ...one, jobName: originName })));
    } catch (error) {
      errors.push(mask(`${originName}: ${sentenceOf(error)}`));
    }
  }
  return {
    environments: joined(found),
    freezes: freezesBetween(freezes, places, range),
    mask,
    ...(errors.length > 0 && { error: errors.join("; ") }),
  };
}

/** A job of many tasks works on an environment once. */
function joined(all: readonly PlannedEnvironment[]): PlannedEnvironment[] {
  const groups = Map.groupBy(all, ({ jobName, projectKey, envKey, production }) =>
    JSON.stringify([jobName, projectKey, envKey, production]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ ...first, services: group.flatMap(({ services }) => services) }];
  });
}

/** What a task does besides its changes of environments, as far as users who wait for it should know. */
function taskNotes({ stages }: TaskPlan): string[] {
  const notes = stages.flatMap(({ name, approval, manualExec, jobs }) => [
    ...(manualExec === null ? [] : [`stage ${name} waits until somebody executes it`]),
    ...(approval === null ? [] : [`stage ${name} waits for an approval`]),
    ...jobs.flatMap((job) => [...ruleNotes(job), ...workNotes(job)]),
  ]);
  return [...new Set(notes)];
}

function ruleNotes({ originName, executePolicy }: JobPlan): string[] {
  return executePolicy === null ? [] : [`job ${originName} runs or not by its rules, which only the run can tell`];
}

function workNotes({ originName, type }: JobPlan): string[] {
  if (jobKindOf(type)?.previews || type === "notification") return [];
  if (type === "approval") return [`job ${originName} waits for an approval`];
  if (type === "zadig-distribute-image") return [`job ${originName} copies images`];
  if (type === "workflow-trigger") return [`job ${originName} starts other workflows; what those change is not shown`];
  if (jobKindOf(type) === undefined) return [`job ${originName} is of the type ${type}, which cannot be run here`];
  return [`job ${originName} (${type}) runs in a container; what its script changes is not shown`];
}
