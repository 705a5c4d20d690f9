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

/** `<workflow>/<number>`, as its parts. */
const taskKey = z
  .string()
  .regex(/^.{1,200}\/[1-9]\d{0,11}$/, "must be a workflow and the number of a task, such as ship/7")
  .transform((text) => {
    const at = text.lastIndexOf("/");
    return { key: text.slice(0, at), taskId: Number(text.slice(at + 1)) };
  });

const told = [
  "One event a change: `id:<time>.<n>`, `event:message` and `data:` with JSON",
  "`{id, type, project_key, key, name, state}`, where `type` is `task` (with `task_id`; `key` is that of its workflow, test or scan),",
  "`environment` (with `production`) or `release_plan` (`key` is its id, `project_key` is empty).",
  "With `environment` also `{id, type: services, project_key, key, state}`: `followed` and `changed` say that its services have to be read,",
  "`lost` that changes of them are not told until `followed` comes again; with `task` the same of its jobs, `{id, type: jobs, key, task_id, state}`.",
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
        task: taskKey
          .optional()
          .meta({ description: "WORKFLOW/NUMBER: tell, every two seconds at most, that its jobs changed" }),
        once: queryBoolean
          .default(false)
          .meta({ description: "Ends when all until now was told, instead of waiting for more" }),
      }),
      queryAliases: { projectKey: ["projectName"] },
    },
    told,
  ),
};
