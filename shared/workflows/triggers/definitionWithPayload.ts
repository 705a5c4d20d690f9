import { isRecord } from "../../manifest/schema/kubeObject.ts";
import type { WorkflowDefinition, WorkflowJob } from "../definition/definition.ts";
import { isShell, outsideInto } from "../definition/outsideTexts.ts";
import { kind as freestyle } from "../jobs/freestyle/kind.ts";
import { kind as plugin } from "../jobs/plugin/kind.ts";
import { type Payload, payloadTexts, withPayload } from "./rules/payload.ts";

/**
 * A definition with the payload in every text of it but scripts: these keep their placeholders, and what was said for them is
 * kept beside, to become variables of the jobs (decisions 17.6).
 * @throws ApiError 6160 for a value that is too long
 */
export function definitionWithPayload(definition: WorkflowDefinition, payload: Payload): WorkflowDefinition {
  const filled = withPayload(definition, payload);
  const stages = filled.stages.map((stage, at) => ({
    ...stage,
    jobs: stage.jobs.map((job, place) => withScriptsOf(job, definition.stages[at]?.jobs[place])),
  }));
  return outsideInto({ ...filled, stages }, payloadTexts(stages, payload));
}

/** A job whose scripts are those of another one, which is the same before anything was replaced. */
function withScriptsOf(job: WorkflowJob, written: WorkflowJob | undefined): WorkflowJob {
  const [spec, own] = [job.spec, written?.spec];
  if (!isRecord(spec) || !isRecord(own)) return job;
  if (job.type === freestyle.type) {
    const steps = arrayOf(spec.steps).map((step, at) =>
      withFields(step, "spec", scriptsOfStep(arrayOf(own.steps)[at])),
    );
    const script = "script" in own ? { script: own.script } : {};
    return { ...job, spec: { ...spec, ...script, ...("steps" in spec && { steps }) } };
  }
  if (job.type !== plugin.type || !isRecord(own.plugin)) return job;
  const { cmds, args } = own.plugin;
  const isOfShell = isShell(arrayOf(cmds).map(String), arrayOf(args).map(String));
  return isOfShell ? { ...job, spec: withFields(spec, "plugin", { cmds, args }) as typeof spec } : job;
}

function scriptsOfStep(step: unknown): Record<string, unknown> {
  const spec = isRecord(step) && isRecord(step.spec) ? step.spec : {};
  return Object.fromEntries(Object.entries(spec).filter(([field]) => field === "script" || field === "scripts"));
}

function withFields(whole: unknown, field: string, fields: Record<string, unknown>): unknown {
  if (!isRecord(whole) || !isRecord(whole[field])) return whole;
  return { ...whole, [field]: { ...whole[field], ...fields } };
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
