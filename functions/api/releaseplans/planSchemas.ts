import * as z from "zod";
import { message, pageInteger, paging } from "../../../shared/http/schemas.ts";
import { jobInput, paramInput } from "../../../shared/http/startInputs.ts";
import { cutMark } from "../../../shared/http/stream/cutMark.ts";
import { planJobStatuses, planStatuses } from "../../../shared/releaseplans/rules/status.ts";
import { approvalInput, shownApproval } from "./approvals/approvalSchemas.ts";
import { flag, longestName, longestText, name, optionalText, text, time, unixTime, wholeNumber } from "./planFields.ts";

const mostJobs = 100;
const mostEntries = 500;
const mostNotices = 50;
/** Enough for all statuses of a plan. */
const longestKeyword = 512;

export const settingsInput = z.object({
  auto_execute: flag,
  concurrency: wholeNumber(mostJobs),
  stop_on_failure: flag,
  rollback_on_failure: flag,
});

const textSpec = z.object({ content: optionalText(), remark: optionalText() });
const workflowSpec = z.object({
  workflow_key: text(64).min(1, "cannot be empty"),
  project_key: text(63).min(1, "cannot be empty"),
  parameters: z.array(paramInput, "must be a list").max(mostEntries).nullish(),
  inputs: z.array(jobInput, "must be a list").max(mostEntries).nullish(),
  remark: optionalText(),
});
const dependsOn = z
  .array(name, "must be a list of names of jobs")
  .max(mostJobs, `must have at most ${mostJobs} entries`)
  .nullish();
const ofJob = { name, manager: optionalText(longestName), manager_id: optionalText(64), depends_on: dependsOn };
export const jobInputs = z.discriminatedUnion(
  "type",
  [
    z.object({ ...ofJob, type: z.literal("text"), spec: textSpec }),
    z.object({ ...ofJob, type: z.literal("workflow"), spec: workflowSpec }),
  ],
  "must be text or workflow",
);
export type JobInput = z.output<typeof jobInputs>;

/** Kept as it is sent. */
const sprint = z
  .looseObject({}, "must be an object")
  .refine((value) => JSON.stringify(value).length <= longestText, `must have at most ${longestText} characters as JSON`)
  .nullish();

const metadata = { name, description: optionalText(), start_time: time, end_time: time, schedule_execute_time: time };
const jobs = z.array(jobInputs, "must be a list").max(mostJobs, `must have at most ${mostJobs} jobs`).nullish();

/** Body of a creation; jobs are not read (contract D 2.7). */
export const newPlanInput = z.object({
  ...metadata,
  manager: name,
  manager_identity_type: optionalText(64),
  approval: approvalInput.nullish(),
  settings: settingsInput.nullish(),
});

/** As workflows have them; which statuses they fire for the use-case says. */
const notifyCtls = z
  .array(z.looseObject({}, "must be an object"), "must be a list")
  .max(mostNotices, `must have at most ${mostNotices} entries`)
  .meta({ description: "Settings as those of workflows; notify_type names statuses of a plan" });

/** Answer of a save: `warnings` say which freezes will hold at the schedule. */
export const savedPlan = message.extend({ warnings: z.array(z.string()).optional() }).meta({ id: "SavedPlan" });

/** Body of a full replacement: what is left out becomes empty. */
export const planInput = newPlanInput.extend({
  notify_ctls: notifyCtls.nullish(),
  jobs,
  version: z.int("must be a whole number").nullish(),
});

/** Body of a creation by the console, which names the manager by uid. */
export const wholePlanInput = z.object({
  ...metadata,
  manager: name,
  manager_id: text(64).min(1, "cannot be empty"),
  jira_sprint_association: sprint,
  approval: approvalInput.nullish(),
  settings: settingsInput.nullish(),
  jobs,
});

export const copyInput = z.object({ name });

const verbs = {
  update_name: z.object({ name }),
  update_description: z.object({ description: optionalText() }),
  update_time_range: z.object({ start_time: time, end_time: time }),
  update_schedule_execute_time: z.object({
    schedule_execute_time: time,
    start_time: unixTime.nullish(),
    end_time: unixTime.nullish(),
  }),
  update_manager: z.object({ manager_id: text(64).min(1, "cannot be empty"), manager: name }),
  update_jira_sprint: z.object({ jira_sprint_association: sprint }),
  update_settings: settingsInput,
  update_notify: z.object({ notify_ctls: notifyCtls }),
  create_release_job: jobInputs,
  update_release_job: z.intersection(z.object({ id: text(64) }), jobInputs),
  delete_release_job: z.object({ id: text(64) }),
  reorder_release_job: z.object({ job_ids: z.array(text(64), "must be a list").max(mostJobs) }),
  update_approval: z.object({ approval: approvalInput }),
  delete_approval: z.object({}),
} as const;
export type EditVerb = keyof typeof verbs;
const verbNames = Object.keys(verbs) as EditVerb[];
const version = z.int("must be a whole number").nullish();

/** Body of one edit: the verb decides what its spec is. */
export const editInput = z.discriminatedUnion(
  "verb",
  [
    z.object({ verb: z.literal("update_name"), version, spec: verbs.update_name }),
    z.object({ verb: z.literal("update_description"), version, spec: verbs.update_description }),
    z.object({ verb: z.literal("update_time_range"), version, spec: verbs.update_time_range }),
    z.object({
      verb: z.literal("update_schedule_execute_time"),
      version,
      spec: verbs.update_schedule_execute_time,
    }),
    z.object({ verb: z.literal("update_manager"), version, spec: verbs.update_manager }),
    z.object({ verb: z.literal("update_jira_sprint"), version, spec: verbs.update_jira_sprint }),
    z.object({ verb: z.literal("update_settings"), version, spec: verbs.update_settings }),
    z.object({ verb: z.literal("update_notify"), version, spec: verbs.update_notify }),
    z.object({ verb: z.literal("create_release_job"), version, spec: verbs.create_release_job }),
    z.object({ verb: z.literal("update_release_job"), version, spec: verbs.update_release_job }),
    z.object({ verb: z.literal("delete_release_job"), version, spec: verbs.delete_release_job }),
    z.object({ verb: z.literal("reorder_release_job"), version, spec: verbs.reorder_release_job }),
    z.object({ verb: z.literal("update_approval"), version, spec: verbs.update_approval }),
    z.object({ verb: z.literal("delete_approval"), version, spec: verbs.delete_approval.nullish() }),
  ],
  `must be one of ${verbNames.join(", ")}`,
);
export type EditInput = z.output<typeof editInput>;

export const planPage = z.object(paging);
const timeText = z
  .string()
  .regex(/^\d{1,12}$/, "must be Unix seconds")
  .transform(Number)
  .optional();

/** What the console's list is searched by. */
export const planSearch = z.object({
  pageNum: pageInteger(1),
  pageSize: pageInteger(20, 200),
  type: z
    .enum(
      ["", "name", "manager", "success_time", "update_time", "status"],
      "must be name, manager, success_time, update_time or status",
    )
    .optional(),
  keyword: z
    .string()
    .max(longestKeyword, `must have at most ${longestKeyword} characters`)
    .optional()
    .meta({ description: "A part of a name, <from>-<to> in Unix seconds, or statuses with commas between them" }),
  startTime: timeText,
  endTime: timeText,
});
export type PlanSearch = z.output<typeof planSearch>;

export const updateCheck = z.object({
  version: z
    .string()
    .regex(/^\d{1,9}$/, "must be a version of the plan, a whole number")
    .transform(Number),
  verb: z.enum(verbNames, `must be one of ${verbNames.join(", ")}`),
});

const listItem = {
  ...{ id: z.string(), index: z.int(), name: z.string(), manager: z.string(), description: z.string() },
  ...{ created_by: z.string(), create_time: z.int(), status: z.enum(planStatuses) },
};
export const planList = z.object({ list: z.array(z.object(listItem)), total: z.int() }).meta({ id: "ReleasePlans" });

export const shownJob = z
  .object({
    ...{ id: z.string(), name: z.string(), manager: z.string(), manager_id: z.string(), type: z.string() },
    spec: z.looseObject({}).nullable(),
    depends_on: z.array(z.string()),
    ...{ status: z.enum(planJobStatuses), last_status: z.enum(planJobStatuses), updated: z.boolean() },
    ...{ executed_by: z.string(), executed_time: z.int() },
  })
  .meta({ id: "ReleasePlanJob" });

const shownHooks = z.object({
  ...{ enable: z.boolean(), enable_call_back: z.boolean(), hook_events: z.array(z.string()) },
});

/** A plan (contract D 2.1). Times are Unix seconds, 0 before. */
export const shownPlan = z
  .object({
    ...{ id: z.string(), index: z.int(), version: z.int(), name: z.string(), manager: z.string() },
    ...{ manager_id: z.string(), approver_id: z.string(), start_time: z.int(), end_time: z.int() },
    ...{ schedule_execute_time: z.int(), description: z.string(), created_by: z.string(), create_time: z.int() },
    ...{ updated_by: z.string(), update_time: z.int(), jira_sprint_association: z.unknown() },
    approval: shownApproval.optional(),
    settings: z.object({
      ...{ auto_execute: z.boolean(), concurrency: z.int(), stop_on_failure: z.boolean() },
      rollback_on_failure: z.boolean(),
    }),
    notify_ctls: z.array(z.looseObject({})),
    jobs: z.array(shownJob).optional(),
    ...{ status: z.enum(planStatuses), planning_time: z.int(), finish_planning_time: z.int() },
    ...{ approval_time: z.int(), executing_time: z.int(), success_time: z.int(), instance_code: z.string() },
    hook_settings: shownHooks.nullable(),
    ...{ wait_for_finish_planning_external_check_time: z.int(), wait_for_approve_external_check_time: z.int() },
    ...{ wait_for_execute_external_check_time: z.int(), wait_for_all_done_external_check_time: z.int() },
    ...{ external_check_failed_reason: z.string(), callback_description: z.string() },
  })
  .meta({ id: "ReleasePlan" });

const jobCounts = z.object({ total: z.int(), ended: z.int(), failed: z.int() });
const foundPlan = shownPlan
  .extend({ job_counts: jobCounts.meta({ description: "Of its jobs; ended are those that are done or skipped" }) })
  .meta({ id: "ReleasePlanFound" });
export const searchedPlans = z.object({ list: z.array(foundPlan), total: z.int() }).meta({ id: "ReleasePlansFound" });

const words = z.record(z.string(), z.string());
const logEntry = z.object({
  ...{ id: z.string(), plan_id: z.string(), username: z.string(), account: z.string(), verb: z.string() },
  ...{
    target_name: z.string(),
    target_type: z.string(),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
  },
  ...{ detail: z.string(), version: z.int().optional(), created_at: z.int() },
});

export const planLog = z
  .object({
    i18n: z.object({
      ...{ verb_i18_map: words, target_type_i18_map: words, detail_i18_map: words, user_name_i18_map: words },
    }),
    list: z.array(logEntry),
    ...cutMark,
  })
  .meta({ id: "ReleasePlanLog" });

export const updateState = z
  .object({ has_update: z.boolean(), current_version: z.int(), updated_by: z.string(), update_time: z.int() })
  .meta({ id: "ReleasePlanUpdate" });

export const versionDiff = z.object({ version: z.int(), list: z.array(logEntry) }).meta({ id: "ReleasePlanVersion" });

const requiredTime = (name: string) =>
  z
    .string(`${name} is required`)
    .regex(/^\d{1,12}$/, "must be Unix seconds")
    .transform(Number);

export const statisticsRange = z.object({ start_time: requiredTime("start_time"), end_time: requiredTime("end_time") });
export const planStatistics = z
  .array(z.object({ month: z.string(), count: z.int(), average_duration: z.number(), average_wait: z.number() }))
  .meta({ id: "ReleasePlanStatistics" });

const longestCalendar = 366 * 24 * 3600;
const calendarPast = 30 * 24 * 3600;
export const calendarRange = z
  .object({
    from: timeText.meta({
      description: "Unix seconds; with format=ics 30 days ago, or 366 days before to, if left out",
    }),
    to: timeText.meta({ description: "Unix seconds; with format=ics 366 days after from if left out" }),
    format: z.enum(["json", "ics"], "must be json or ics").optional().meta({ description: "ics: iCalendar text" }),
  })
  .superRefine(({ from, to, format }, context) => {
    for (const [name, time] of Object.entries({ from, to }))
      if (time === undefined && format !== "ics")
        context.addIssue({ code: "custom", path: [name], message: `${name} is required` });
    if (from !== undefined && to !== undefined && (to < from || to - from > longestCalendar))
      context.addIssue({ code: "custom", path: ["to"], message: "must be later than from, by 366 days at most" });
  });

/** Unix seconds. A program that subscribes asks by the same address year after year, so its range moves with the time. */
export function rangeOf({ from, to }: z.output<typeof calendarRange>, now: number): { from: number; to: number } {
  const first = from ?? (to === undefined ? now - calendarPast : Math.max(to - longestCalendar, 0));
  return { from: first, to: to ?? first + longestCalendar };
}

export const planCalendar = z
  .object({
    items: z.array(
      z.object({
        kind: z.enum(["plan", "window", "freeze"]),
        ...{ id: z.string(), name: z.string(), start: z.int(), end: z.int(), status: z.string() },
      }),
    ),
    ...cutMark,
  })
  .meta({ id: "ReleasePlanCalendar" });

export const approveInput = z.object({
  approve: z.boolean("must be true or false"),
  comment: optionalText(500),
});

/** Which job; its id decides, the name is not read. */
export const jobCallInput = z.object({
  id: text(64).min(1, "cannot be empty"),
  name: z.string().nullish(),
  type: z.enum(["text", "workflow"], "must be text or workflow"),
  spec: z.looseObject({ remark: text(longestText).nullish() }, "must be an object").nullish(),
});

export const statusPath = z.object({
  id: z.string(),
  status: z.enum(planStatuses, `must be one of ${planStatuses.join(", ")}`),
});
