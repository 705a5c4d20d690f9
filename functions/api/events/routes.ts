import * as z from "zod";
import { defineStream } from "../../../shared/http/route.ts";
import { filled, queryBoolean } from "../../../shared/http/schemas.ts";

/** `<project>/<environment>`, as its parts. */
const environmentKey = z
  .string()
  .regex(/^[^/]{1,63}\/[^/]{1,63}$/, "must be a project and an environment, such as shop/dev")
  .transform((text) => {
    const [projectKey = "", envKey = ""] = text.split("/");
    return { projectKey, envKey };
  });

const told = [
  "One event a change: `id:<time>.<n>`, `event:message` and `data:` with JSON",
  "`{id, type, project_key, key, name, state}`, where `type` is `task` (with `task_id`; `key` is that of its workflow, test or scan),",
  "`environment` (with `production`) or `release_plan` (`key` is its id, `project_key` is empty).",
  "With `environment` also `{id, type: services, project_key, key, state}`: `followed` and `changed` say that its services have to be read,",
  "`lost` that changes of them are not told until `followed` comes again.",
  "`{id, type: reset}` says that changes were missed and everything has to be read anew; `{id, type: current}` that all until now were told",
].join(" ");

export const eventRoutes = {
  followEvents: defineStream(
    {
      path: "/openapi/events/stream",
      summary: "Follow what changes: tasks, environments and release plans that the caller may read",
      tag: "Events",
      permission: { kind: "filtered" },
      query: z.object({
        projectKey: filled("projectKey", 63)
          .optional()
          .meta({ description: "Only what changes in this project, and no release plans" }),
        environment: environmentKey.optional().meta({
          description: "PROJECT/ENVIRONMENT: tell, at most once a second, that workloads or pods of it changed",
        }),
        once: queryBoolean
          .default(false)
          .meta({ description: "Ends when all until now was told, instead of waiting for more" }),
      }),
      queryAliases: { projectKey: ["projectName"] },
    },
    told,
  ),
};
