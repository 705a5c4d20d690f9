import * as z from "zod";
import { withAliases } from "../../../../shared/base/common/withAliases.ts";
import { chargedFields, currency } from "../../../../shared/http/costFields.ts";
import { filled, pageInteger } from "../../../../shared/http/schemas.ts";
import { jobInput, paramInput } from "../../../../shared/http/startInputs.ts";
import { notifyInput } from "../../../../shared/integrations/notify/rules/notifyInputs.ts";
import { workflowParam } from "../../../../shared/workflows/definition/definition.ts";
import { jobStatuses, stageStatuses, taskStatuses } from "../../../../shared/workflows/records/rules/status.ts";
import { jobSpec, shownApproval, shownErrorPolicy, shownManualExec } from "../shownParts.ts";

const text = (most = 65_536) => z.string("must be a text").max(most, `must have at most ${most} characters`);

/** A task number; older clients send it as text (contract W 2.8). */
const taskNumber = z.union(
  [
    z.int().min(1),
    z
      .string()
      .regex(/^\d{1,12}$/)
      .transform(Number),
  ],
  "must be the number of a task, 1 or more",
);

export const taskIdText = z
  .string()
  .regex(/^\d{1,12}$/, "must be the number of a task, a whole number")
  .transform(Number);

const many = 500;
const atMost = `must have at most ${many} entries`;

/** Body of the start call (contract W 2.4). */
export const startInput = withAliases(
  z.object({
    workflow_key: filled("workflow_key", 64),
    project_key: filled("project_key", 63),
    parameters: z.array(paramInput, "must be a list").max(many, atMost).nullish(),
    inputs: z.array(jobInput, "must be a list").max(many, atMost).nullish(),
    notify_inputs: z.array(notifyInput, "must be a list").max(many, atMost).nullish(),
  }),
  { workflow_key: ["workflow_name"], project_key: ["project_name"] },
);

export const started = z
  .object({ project_name: z.string(), workflow_name: z.string(), task_id: z.int() })
  .meta({ id: "StartedTask" });

export const ofWorkflow = z.object({ projectKey: filled("projectKey", 63) });

export const taskPage = ofWorkflow.extend({ pageNum: pageInteger(1), pageSize: pageInteger(10, 200) });

const status = z.enum(taskStatuses);

export const taskList = z
  .object({
    total: z.int(),
    workflow_tasks: z.array(
      z.object({
        workflow_key: z.string(),
        workflow_name: z.string(),
        project_key: z.string(),
        task_id: z.int(),
        create_time: z.int(),
        task_creator: z.string(),
        start_time: z.int(),
        end_time: z.int(),
        status,
      }),
    ),
  })
  .meta({ id: "WorkflowTasks" });

/** The key of a test or a scan names its project too. */
export const ofTask = z.object({ workflowKey: filled("workflowKey", 256), taskId: taskIdText });
export const ofTaskAliases = { workflowKey: ["workflow_name", "workflow_key"], taskId: ["task_id"] } as const;

export const taskPath = z.object({ workflowKey: z.string(), taskID: taskIdText });

/** What is decided about; without a name there is nothing that waits, which has a code of its own. */
const place = z.string("must be text").default("");

export const approveInput = withAliases(
  z.object({
    workflow_key: filled("workflow_key", 64),
    task_id: taskNumber,
    stage_name: place,
    approve: z.boolean("must be true or false").nullish(),
    comment: text(4096).nullish(),
  }),
  { workflow_key: ["workflow_name"] },
);

export const consoleApproveInput = z.object({
  workflow_name: filled("workflow_name", 64),
  job_name: place,
  task_id: taskNumber,
  approve: z.boolean("must be true or false").nullish(),
  comment: text(4096).nullish(),
});

export const errorInput = z.object({
  workflow_name: filled("workflow_name", 64),
  job_name: filled("job_name"),
  task_id: taskNumber,
  decision: z.enum(["ignore", "reject"], "must be ignore or reject"),
});

export const rolloutInput = withAliases(
  z.object({
    workflow_key: filled("workflow_key", 64),
    task_id: taskNumber,
    job_name: filled("job_name"),
    action: z.enum(["pause", "promote", "abort"], "must be pause, promote or abort"),
  }),
  { workflow_key: ["workflow_name"] },
);

export const remarkInput = z.object({ remark: text(4096) });
export const executeInput = z.object({ stage_name: filled("stage_name") });

const person = z.object({
  type: z.string(),
  user_id: z.string(),
  user_name: z.string(),
  group_id: z.string(),
  group_name: z.string(),
});

export const manualExecState = z
  .object({
    project_key: z.string(),
    workflow_key: z.string(),
    task_id: z.int(),
    status,
    stage_name: z.string(),
    can_execute: z.boolean(),
    executors: z.array(person),
  })
  .meta({ id: "ManualExecution" });

/** Left out until they are known. */
const times = { start_time: z.int().optional(), end_time: z.int().optional() };
const unstarted = { description: "Empty until it starts" };

const taskParam = workflowParam.extend({ name: z.string() }).meta({ id: "WorkflowTaskParam" });

const shownHold = z
  .object({
    held_by: z.string(),
    hold_time: z.int(),
    hold_until: z.int().meta({ description: "When it ends as timed out unless it is promoted" }),
    stands: z.enum(["", "before", "after"]).meta({
      description: "Where it stands still: before it begins, or after its work is done; empty while it works",
    }),
  })
  .meta({ description: "Of a step of a rollout that somebody holds" });

const taskJob = z
  .looseObject({
    name: z.string(),
    key: z.string(),
    display_name: z.string(),
    origin_name: z.string(),
    type: z.string(),
    status: z.enum(jobStatuses).meta(unstarted),
    ...times,
    cost_seconds: z.int(),
    error: z.string(),
    failure: z
      .literal("platform")
      .optional()
      .meta({ description: "There when Slipway itself failed, and not what the job does" }),
    spec: jobSpec,
    error_policy: shownErrorPolicy.nullable(),
    error_handler_user_id: z.string(),
    error_handler_username: z.string(),
    retry_count: z.int(),
    hold: shownHold.optional(),
    job_info: z.record(z.string(), z.string()).meta({ description: "Parts of the display name" }),
  })
  .meta({ id: "WorkflowTaskJob" });

const taskStage = z
  .looseObject({
    name: z.string(),
    status: z.enum(stageStatuses).meta(unstarted),
    ...times,
    parallel: z.boolean(),
    manual_exec: shownManualExec.nullable(),
    approval: shownApproval.nullable(),
    jobs: z.array(taskJob),
    error: z.string(),
  })
  .meta({ id: "WorkflowTaskStage" });

/** Task detail (contract W 4); specs of jobs are as their types have them. */
export const taskDetail = z
  .looseObject({
    task_id: z.int(),
    workflow_key: z.string(),
    workflow_name: z.string(),
    project_key: z.string(),
    project_name: z.string(),
    params: z.array(taskParam),
    status: status,
    remark: z.string(),
    override_reason: z.string().optional().meta({ description: "Why freezes do not count for it" }),
    task_creator: z.string(),
    task_revoker: z.string(),
    release_plan: z.object({ id: z.string(), name: z.string(), index: z.int() }).optional(),
    create_time: z.int(),
    ...times,
    stages: z.array(taskStage),
    error: z.string().optional(),
    cost: z.object({ currency, ...chargedFields }).meta({
      description: "What it has used so far, at the prices of now; of a job what its tries used that are over",
    }),
  })
  .meta({ id: "WorkflowTask" });
