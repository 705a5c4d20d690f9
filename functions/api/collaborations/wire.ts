import type * as z from "zod";
import type { NewMode } from "../../../shared/collaborations/createMode.ts";
import type { newMode } from "./schemas.ts";

export function toNewMode(body: z.output<typeof newMode>): NewMode {
  return {
    projectKey: body.project_key,
    name: body.name,
    recycleDay: body.recycle_day,
    userIds: body.user_ids,
    groupIds: body.group_ids,
    workflows: body.workflows.map(({ name, collaboration_type, verbs }) => ({ name, type: collaboration_type, verbs })),
    environments: body.envs.map(({ name, collaboration_type, verbs }) => ({ name, type: collaboration_type, verbs })),
  };
}
