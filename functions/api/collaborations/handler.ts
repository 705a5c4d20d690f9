import type * as z from "zod";
import { createMode, type NewMode } from "../../../shared/collaborations/createMode.ts";
import { endMode } from "../../../shared/collaborations/endMode.ts";
import { makeFirstCopies } from "../../../shared/collaborations/makeFirstCopies.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { collaborationRoutes } from "./routes.ts";
import type { newMode } from "./schemas.ts";

export const handler = createApi(collaborationRoutes, {
  createMode: async ({ body, caller }) => {
    const mode = await createMode(toNewMode(body), caller);
    await makeFirstCopies(mode);
    return success;
  },

  deleteMode: async ({ params, query, caller }) => {
    await endMode(query.projectKey, params.name, caller);
    return success;
  },
});

function toNewMode(body: z.output<typeof newMode>): NewMode {
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
