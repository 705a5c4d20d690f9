import * as z from "zod";
import { withAliases } from "../../../shared/base/common/withAliases.ts";
import { filled, plainName } from "../../../shared/http/schemas.ts";
import { cutMark } from "../../../shared/http/stream/cutMark.ts";
import { runPolicies, workflowParam } from "../../../shared/workflows/definition/definition.ts";
import { viewTypes } from "../../../shared/workflows/saved/store/workflowViews.ts";
import { jobSpec, shownApproval } from "./shownParts.ts";

export const ofProject = z.object({ projectKey: filled("projectKey", 256) });

export const workflowList = z.object({
  workflows: z.array(
    z
      .object({
        workflow_key: z.string(),
        workflow_name: z.string(),
        update_by: z.string(),
        update_time: z.int(),
        type: z.literal("custom"),
      })
      .meta({ id: "WorkflowItem" }),
  ),
  ...cutMark,
});

export const namedWorkflowList = z.object({
  workflow_list: z.array(
    z
      .object({
        name: z.string(),
        display_name: z.string(),
        project: z.string(),
        description: z.string(),
        category: z.string(),
        disabled: z.boolean(),
        concurrency_limit: z.int(),
        updated_by: z.string(),
        update_time: z.int(),
      })
      .meta({ id: "NamedWorkflowItem" }),
  ),
  total: z.int(),
  ...cutMark,
});

const anything = z.looseObject({});
const times = { created_by: z.string(), create_time: z.int(), updated_by: z.string(), update_time: z.int() };
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const shownParam = workflowParam
  .extend({
    description: z.string(),
    type: z.string(),
    value: scalar,
    default: scalar,
    repo: anything.nullable(),
    is_credential: z.boolean(),
  })
  .meta({ id: "ShownWorkflowParam" });

const shownJob = z
  .looseObject({
    name: z.string(),
    type: z.string(),
    skipped: z.boolean(),
    spec: jobSpec,
    run_policy: z.enum(runPolicies),
    service_modules: z.array(anything),
  })
  .meta({ id: "ShownWorkflowJob" });

const shownStage = z
  .looseObject({
    name: z.string(),
    parallel: z.boolean(),
    approval: shownApproval.nullable(),
    jobs: z.array(shownJob),
  })
  .meta({ id: "ShownWorkflowStage" });

/** With every other field of the definition. */
export const workflowDetail = z
  .looseObject({
    workflow_key: z.string(),
    workflow_name: z.string(),
    project_key: z.string(),
    description: z.string(),
    ...times,
    params: z.array(shownParam),
    stages: z.array(shownStage),
    notify_ctls: z.array(anything),
    share_storages: z.array(anything),
    concurrency_limit: z.int(),
  })
  .meta({ id: "Workflow" });

const sentJob = z
  .looseObject({
    name: z.string(),
    type: z.string(),
    skipped: z.boolean().nullish(),
    spec: jobSpec.nullish(),
    run_policy: z.enum(runPolicies).nullish(),
    service_modules: z.array(anything).nullish(),
  })
  .meta({ id: "SentWorkflowJob" });

const sentStage = z
  .looseObject({
    name: z.string(),
    parallel: z.boolean().nullish(),
    approval: shownApproval.nullish(),
    jobs: z.array(sentJob).nullish(),
  })
  .meta({ id: "SentWorkflowStage" });

/** The definition as it was sent, with what the installation says of it. */
export const storedWorkflow = z
  .looseObject({
    ...{ id: z.string(), name: z.string(), display_name: z.string(), project: z.string(), ...times },
    params: z.array(workflowParam).nullish(),
    stages: z.array(sentStage).nullish(),
  })
  .meta({ id: "StoredWorkflow" });

const viewType = z.enum(viewTypes, "must be custom or product");
const listed = withAliases(
  z.object({
    workflow_key: filled("workflow_key", 64),
    workflow_type: viewType,
    enabled: z.boolean("must be true or false").default(false),
  }),
  { workflow_key: ["workflow_name"] },
);
const maxListed = 500;
const workflowsOfView = z
  .array(listed)
  .max(maxListed, `must have at most ${maxListed} workflows`)
  .superRefine((workflows, context) => {
    for (const [at, { workflow_key }] of workflows.entries())
      if (workflows.findIndex((other) => other.workflow_key === workflow_key) < at)
        context.addIssue({
          code: "custom",
          path: [at, "workflow_key"],
          message: `workflow ${workflow_key} duplicated`,
        });
  });

export const newView = withAliases(
  z.object({
    project_key: filled("project_key", 256),
    name: plainName(),
    workflow_list: workflowsOfView.nullish(),
  }),
  { project_key: ["project_name"] },
);

export const changedView = z.object({ workflow_list: workflowsOfView });

export const viewList = z.array(
  z
    .object({
      name: z.string(),
      project_key: z.string(),
      update_time: z.int(),
      update_by: z.string(),
      workflows: z.array(z.object({ workflow_key: z.string(), workflow_type: viewType })),
    })
    .meta({ id: "WorkflowView" }),
);
