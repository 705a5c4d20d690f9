import * as z from "zod";
import { longestOwnerKey } from "../../../shared/base/common/ownerKey.ts";
import { mayReadTask } from "../../../shared/http/mayReadTask.ts";
import { defineRoute, fromQuery } from "../../../shared/http/route.ts";
import { filled } from "../../../shared/http/schemas.ts";
import { cutMark } from "../../../shared/http/stream/cutMark.ts";
import { taskIdText } from "./tasks/taskSchemas.ts";

const delivery = z
  .object({
    id: z.string(),
    /** `created`, `passed`, …; `notification` of a notification job. */
    event: z.string(),
    /** The job task's name when it is about a job; empty otherwise. */
    job_name: z.string(),
    /** The setting's place in its list; -1: the system-wide hook, the legacy callback or a commit. */
    index: z.int(),
    type: z.string(),
    target: z.string(),
    status: z.enum(["pending", "sent", "failed"]),
    event_uuid: z.string(),
    create_time: z.int(),
    end_time: z.int(),
    /** `problem` is empty for one that arrived, and says so while the outcome is unknown. */
    tries: z.array(z.object({ time: z.int(), problem: z.string() })),
  })
  .meta({ id: "Delivery" });

export const deliveryRoutes = {
  listDeliveries: defineRoute({
    method: "GET",
    path: "/api/aslan/workflow/v4/deliveries",
    summary: "List what was sent about a task, to whom, and why something did not arrive",
    tag: "Workflow tasks",
    permission: mayReadTask,
    scope: { project: fromQuery("projectKey"), workflow: fromQuery("workflowKey") },
    query: z.object({
      projectKey: filled("projectKey", 63),
      workflowKey: filled("workflowKey", longestOwnerKey),
      taskId: taskIdText,
    }),
    response: z.object({ total: z.int(), deliveries: z.array(delivery), ...cutMark }),
    cutAt: "deliveries",
  }),
};
