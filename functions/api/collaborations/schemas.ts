import * as z from "zod";
import { environmentVerbs, workflowVerbs } from "../../../shared/access/identity/rules/collaboration.ts";
import { filled, plainName } from "../../../shared/http/schemas.ts";

/** Each member takes two places in a transaction of a hundred; a group is one member. */
const maxMembers = 45;
const maxEnvironments = 100;
const maxWorkflows = 100;

const ids = z.array(z.string().min(1, "cannot be empty").max(64, "must have at most 64 characters"));

const sharedEnvironment = z.object({
  name: filled("name", 64),
  collaboration_type: z.enum(["share", "new"], "must be share or new"),
  verbs: z
    .array(z.enum(environmentVerbs, `must be one of ${environmentVerbs.join(", ")}`))
    .min(1, "must name at least one action"),
});

const sharedWorkflow = z.object({
  name: filled("name", 64),
  collaboration_type: z.enum(["share", "new"], "must be share or new"),
  verbs: z
    .array(z.enum(workflowVerbs, `must be one of ${workflowVerbs.join(", ")}`))
    .min(1, "must name at least one action"),
});

/** Contract I 8.1. */
export const newMode = z
  .object({
    project_key: z.string(),
    name: plainName(),
    recycle_day: z.int().min(0, "must be 0 or more days").max(3650, "must be at most 3650 days").default(0),
    user_ids: ids.default([]),
    group_ids: ids.default([]),
    workflows: z.array(sharedWorkflow).max(maxWorkflows, `must have at most ${maxWorkflows} workflows`).default([]),
    envs: z
      .array(sharedEnvironment)
      .max(maxEnvironments, `must have at most ${maxEnvironments} environments`)
      .default([]),
  })
  .superRefine(({ user_ids, group_ids, workflows, envs }, context) => {
    if (user_ids.length + group_ids.length > maxMembers)
      context.addIssue({
        code: "custom",
        path: ["user_ids"],
        message: `a mode has at most ${maxMembers} users and groups; put users into a group`,
      });
    for (const [field, list] of Object.entries({ workflows, envs }))
      for (const [at, { name }] of list.entries())
        if (list.findIndex((other) => other.name === name) < at)
          context.addIssue({ code: "custom", path: [field, at, "name"], message: `${name} is named twice` });
  });
