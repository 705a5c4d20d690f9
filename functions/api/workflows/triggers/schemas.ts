import * as z from "zod";
import { parseCron } from "../../../../shared/base/common/schedule/cron.ts";
import { timeZoneProblem } from "../../../../shared/base/common/schedule/timeZone.ts";
import { withAliases } from "../../../../shared/base/common/withAliases.ts";
import { optionalLine, secretLine } from "../../../../shared/http/fields.ts";
import { filled } from "../../../../shared/http/schemas.ts";
import { jobInput, paramInput } from "../../../../shared/http/startInputs.ts";
import { expressionProblem } from "../../../../shared/workflows/triggers/git/regularExpression.ts";
import { hookDeliveryStatuses } from "../../../../shared/workflows/triggers/records/hookDeliveries.ts";
import { pathProblems } from "../../../../shared/workflows/triggers/rules/pathFilter.ts";
import { followedEndings, gitEvents, triggerKinds } from "../../../../shared/workflows/triggers/rules/trigger.ts";

const many = 500;
const atMost = `must have at most ${many} entries`;
const shortestSecret = 8;

/** Used in paths. */
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
export const newHook = changedHook.superRefine(needsSecret);

const ofIssues = z.array(filled("an entry", 128), "must be a list").max(50, "must have at most 50 entries").default([]);
export const changedJiraHook = z.object({
  ...{ ...common, secret },
  events: ofIssues.meta({ description: "As Jira calls them, such as jira:issue_updated; none: every one" }),
  project_keys: ofIssues.meta({ description: "Keys of Jira's projects; none: every one" }),
});
export const newJiraHook = changedJiraHook.superRefine(needsSecret);

function needsSecret({ secret }: { secret: string }, context: z.RefinementCtx): void {
  if (secret === "")
    context.addIssue({ code: "custom", path: ["secret"], message: "is required; callers send it as X-Slipway-Token" });
}

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

const allowForks = z
  .boolean("must be true or false")
  .default(false)
  .meta({ description: "Pull requests from forks start tasks, which have the credentials of the workflow" });

const repositoryFilters = withAliases(
  z
    .object({
      codehost_id: z.int("must be the id of a code host").min(1, "must be the id of a code host"),
      repo_namespace: filled("repo_namespace", 512),
      repo_name: filled("repo_name", 256),
      branch: optionalLine(256)
        .default("")
        .meta({ description: "Of the push, or that is merged into; `*` is any text, `?` one character" }),
      is_regular: z
        .boolean("must be true or false")
        .default(false)
        .meta({ description: "`branch` is a regular expression, which has to be found in the branch's name" }),
      events: z
        .array(z.enum(gitEvents, `must be one of ${gitEvents.join(", ")}`), "must be a list")
        .min(1, "must name an event"),
      match_folders: z
        .array(filled("match_folders", 512), "must be a list")
        .max(100, "must have at most 100 entries")
        .default([])
        .meta({
          description: "Files and folders that a push or a pull request changes; those with ! in front do not count",
        }),
      allow_forks: allowForks,
    })
    .superRefine(({ branch, is_regular, events, match_folders }, context) => {
      const wrong = is_regular ? expressionProblem(branch) : branchFilterProblem(branch);
      if (wrong !== undefined) context.addIssue({ code: "custom", path: ["branch"], message: wrong });
      for (const [at, message] of pathProblems(match_folders))
        context.addIssue({ code: "custom", path: ["match_folders", at], message });
      if (match_folders.length > 0 && events.includes("tag"))
        context.addIssue({
          code: "custom",
          path: ["match_folders"],
          message: "goes with pushes and pull requests; make a trigger of its own for tags",
        });
    }),
  { repo_namespace: ["repo_owner"] },
);

export const gitBody = z.object({
  ...common,
  main_repo: repositoryFilters,
  auto_cancel: z
    .boolean("must be true or false")
    .default(false)
    .meta({ description: "New commits of a pull request end the run that its former ones started" }),
  allow_forks: allowForks,
});

export const workflowHookBody = z.object({
  ...common,
  workflow_key: filled("workflow_key", 64).meta({ description: "The workflow whose tasks are followed" }),
  statuses: z
    .array(z.enum(followedEndings, `must be one of ${followedEndings.join(", ")}`), "must be a list")
    .min(1, "must name a status")
    .default(["passed"])
    .meta({ description: "How its task must have ended" }),
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
export const shownJiraHook = z
  .object({ ...shown, address: z.string(), events: z.array(z.string()), project_keys: z.array(z.string()) })
  .meta({ id: "JiraHook" });
export const shownCron = z.object({ ...shown, cron: z.string(), time_zone: z.string() }).meta({ id: "CronTrigger" });

export const shownGit = z
  .object({
    ...shown,
    main_repo: z.object({
      codehost_id: z.int(),
      repo_owner: z.string(),
      repo_namespace: z.string(),
      repo_name: z.string(),
      branch: z.string(),
      is_regular: z.boolean(),
      events: z.array(z.enum(gitEvents)),
      match_folders: z.array(z.string()),
    }),
    auto_cancel: z.boolean(),
    allow_forks: z.boolean(),
  })
  .meta({ id: "GitTrigger" });

export const shownWorkflowHook = z
  .object({ ...shown, workflow_key: z.string(), statuses: z.array(z.enum(followedEndings)) })
  .meta({ id: "WorkflowHook" });

const preset = { workflow_arg: z.looseObject({}) };
export const presetHook = z.object(preset).meta({ id: "GeneralHookPreset" });
export const presetGit = z.object({ ...preset, events: z.array(z.enum(gitEvents)) }).meta({ id: "GitTriggerPreset" });
export const presetWorkflowHook = z
  .object({ ...preset, statuses: z.array(z.enum(followedEndings)) })
  .meta({ id: "WorkflowHookPreset" });
export const presetCron = z.object({ ...preset, time_zone: z.string() }).meta({ id: "CronPreset" });

export const inPath = z.object({ workflowName: z.string() });
export const inQuery = z.object({ workflowName: z.string().min(1, "workflowName cannot be empty") });

export const taken = z.object({ delivery_id: z.string() });
/** `problem`: why no task is started for it. */
export const takenFromCodeHost = taken.extend({ problem: z.string().optional() });

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

/**
 * Why no branch can fit a filter with `*` and `?` (decisions 19.4), by what git lets a branch be named
 * (git-check-ref-format); undefined when one can. A comma and a bar are refused, too: they are meant as "or".
 */
export function branchFilterProblem(filter: string): string | undefined {
  if (filter === "") return undefined;
  if (/[,|]/.test(filter)) return "names several branches; make a trigger for each, or set is_regular to true";
  const strange = /[\s~^:[\\]|\p{Cc}/u.exec(filter)?.[0];
  if (strange !== undefined)
    return `holds ${JSON.stringify(strange)}, which no branch has in its name; a regular expression needs is_regular: true`;
  if (filter.startsWith("refs/")) return "begins with refs/; write the name of the branch alone, such as main";
  // As if each wildcard were a letter: what is wrong then is wrong with any text in its place.
  const name = filter.replace(/[*?]+/g, "x");
  const isWrong = /\.\.|@\{|\/\/|^\/|\/$|\.$|^@$|(?:^|\/)\.|\.lock(?:\/|$)/.test(name) || filter.startsWith("-");
  return isWrong ? "can fit no branch: git lets none be named so (see git check-ref-format)" : undefined;
}
