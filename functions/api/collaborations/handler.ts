import { createMode } from "../../../shared/collaborations/createMode.ts";
import { endMode } from "../../../shared/collaborations/endMode.ts";
import { makeFirstCopies } from "../../../shared/collaborations/makeFirstCopies.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { collaborationRoutes } from "./routes.ts";
import { toNewMode } from "./wire.ts";

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
