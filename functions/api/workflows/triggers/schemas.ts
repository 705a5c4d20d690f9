import * as z from "zod";
import { optionalLine, secretLine } from "../../../../shared/http/fields.ts";
import { jobInput, paramInput } from "../../../../shared/http/startInputs.ts";
import { hookDeliveryStatuses } from "../../../../shared/triggers/records/hookDeliveries.ts";
import { triggerKinds } from "../../../../shared/triggers/rules/trigger.ts";
import { parseCron } from "../../../../shared/values/schedule/cron.ts";
import { timeZoneProblem } from "../../../../shared/values/schedule/timeZone.ts";

const many = 500;
const atMost = `must have at most ${many} entries`;
const shortestSecret = 8;

/** Stands in paths. */
export const triggerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must have 1 to 64 letters, digits, dots, hyphens and underscores");

/** What a start call says (contract W 2.4); without `inputs` every job runs as the workflow has it. */
const workflowArg = z
  .object({
    parameters: z.array(paramInput, "must be a list").max(many, atMost).nullish(),
    inputs: z.array(jobInput, "must be a list").max(many, atMost).nullish(),
  })
  .default({});

const common = {
  name: triggerName,
  enabled: z.boolean("must be true or false").default(true),
  description: optionalLine(1024).default(""),
  workflow_arg: workflowArg,
};

/** At a change the secret that is stored stays when none is given. */
const secret = secretLine()
  .refine(
    (text) => text === "" || text.length >= shortestSecret,
    `must have at least ${shortestSecret} characters; callers send it as X-Slipway-Token`,
  )
  .default("");

export const changedHook = z.object({ ...common, secret });
export const newHook = changedHook.superRefine(({ secret }, context) => {
  if (secret === "")
    context.addIssue({ code: "custom", path: ["secret"], message: "is required; callers send it as X-Slipway-Token" });
});

export const cronBody = z.object({
  ...common,
  cron: z
    .string("must be a text")
    .max(256)
    .superRefine((text, context) => {
      const times = parseCron(text);
      if (typeof times === "string") context.addIssue({ code: "custom", message: times });
    })
    .meta({ description: "Five fields: minute, hour, day of month, month, day of week" }),
  time_zone: z
    .string()
    .superRefine((name, context) => {
      const message = timeZoneProblem(name);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    })
    .default("UTC")
    .meta({ description: "IANA time zone, such as Europe/Berlin" }),
});

/** What every trigger that is shown has; values that may be credentials are stars. */
const shown = {
  name: z.string(),
  enabled: z.boolean(),
  description: z.string(),
  workflow_arg: z.looseObject({}),
  updated_by: z.string(),
  update_time: z.int(),
};

/** `address` is where it is called, below this installation's own. */
export const shownHook = z.object({ ...shown, address: z.string() }).meta({ id: "GeneralHook" });
export const shownCron = z.object({ ...shown, cron: z.string(), time_zone: z.string() }).meta({ id: "CronTrigger" });

const preset = { workflow_arg: z.looseObject({}) };
export const presetHook = z.object(preset).meta({ id: "GeneralHookPreset" });
export const presetCron = z.object({ ...preset, time_zone: z.string() }).meta({ id: "CronPreset" });

export const inPath = z.object({ workflowName: z.string() });
export const inQuery = z.object({ workflowName: z.string().min(1, "workflowName cannot be empty") });

export const taken = z.object({ delivery_id: z.string() });

export const hookDelivery = z
  .object({
    delivery_id: z.string(),
    kind: z.enum(triggerKinds),
    trigger: z.string(),
    event: z.string(),
    source_id: z.string(),
    status: z.enum(hookDeliveryStatuses),
    /** 0: none was started. */
    task_id: z.int(),
    problem: z.string(),
    replay_of: z.string(),
    create_time: z.int(),
    end_time: z.int(),
  })
  .meta({ id: "HookDelivery" });
