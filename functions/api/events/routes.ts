import * as z from "zod";
import { environmentKey, taskKey } from "../../../shared/http/changes/followedKeys.ts";
import { localSocketPath } from "../../../shared/http/changes/socketProtocol.ts";
import { defineRoute, defineStream } from "../../../shared/http/route.ts";
import { filled, queryBoolean } from "../../../shared/http/schemas.ts";

const told = [
  "One event a change: `id:<time>.<n>`, `event:message` and `data:` with JSON",
  "`{id, type, project_key, key, name, state}`, where `type` is `task` (with `task_id`; `key` is that of its workflow, test or scan),",
  "`environment` (with `production`) or `release_plan` (`key` is its id, `project_key` is empty).",
  "With `environment` also `{id, type: services, project_key, key, state}`: `followed` and `changed` say that its services have to be read,",
  "`lost` that changes of them are not told until `followed` comes again; with `task` the same of its jobs, `{id, type: jobs, key, task_id, state}`.",
  "`{id, type: reset}` says that changes were missed and everything has to be read anew; `{id, type: current}` that all until now were told",
].join(" ");

const socketAddress = z.object({
  address: z.string().meta({
    description: "Where a WebSocket is opened: `wss://…`, or a path of this address",
  }),
  protocols: z.array(z.string()).meta({
    description: "The subprotocols to offer. The second carries a ticket that opens one connection",
  }),
  expires_in: z.int().meta({ description: "Seconds for which the ticket can be used" }),
});

export const eventRoutes = {
  openSocket: defineRoute({
    ...({ method: "POST", reads: true } as const),
    path: localSocketPath,
    summary: "Get a ticket for a WebSocket that tells what changes (docs/change-socket.md)",
    tag: "Events",
    permission: { kind: "filtered" },
    response: socketAddress,
    secretAnswer: true,
    errorStatuses: [404],
  }),
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
