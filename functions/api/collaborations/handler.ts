import type * as z from "zod";
import type { StoredMode } from "../../../shared/access/identity/store/collaborations.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { createCopies } from "../../../shared/lifecycle/collaborations/createCopies.ts";
import { createMode, type NewMode } from "../../../shared/lifecycle/collaborations/createMode.ts";
import { endMode } from "../../../shared/lifecycle/collaborations/endMode.ts";
import { environmentCopies } from "../../../shared/lifecycle/collaborations/environmentCopies.ts";
import { workflowCopies } from "../../../shared/lifecycle/collaborations/workflowCopies.ts";
import { collaborationRoutes } from "./routes.ts";
import type { newMode } from "./schemas.ts";

/** Of the 29 seconds that a request may take. */
const millisecondsForFirstCopies = 15_000;

/** Makes the copies of a new mode's users; whom the time of the request is too short for get theirs at their first look. */
async function makeFirstCopies({ projectKey, userIds }: StoredMode): Promise<void> {
  const deadline = Date.now() + millisecondsForFirstCopies;
  for (const uid of userIds)
    for (const maker of [workflowCopies, environmentCopies])
      if (Date.now() < deadline) await createCopies(maker, projectKey, uid);
}

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
