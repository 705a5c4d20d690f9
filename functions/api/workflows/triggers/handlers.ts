import type { Handlers } from "../../../../shared/http/createApi.ts";
import { cronHandlers } from "./crons.ts";
import { gitTriggerHandlers } from "./gitTriggers.ts";
import { hookDeliveryHandlers } from "./hookDeliveries.ts";
import type { triggerRoutes } from "./routes.ts";
import { secretHookHandlers } from "./secretHooks.ts";
import { workflowHookHandlers } from "./workflowHooks.ts";

export const triggerHandlers: Handlers<typeof triggerRoutes> = {
  ...secretHookHandlers,
  ...cronHandlers,
  ...gitTriggerHandlers,
  ...workflowHookHandlers,
  ...hookDeliveryHandlers,
};
