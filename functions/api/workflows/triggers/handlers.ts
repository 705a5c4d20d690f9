import type { Handlers } from "../../../../shared/http/createApi.ts";
import { cronHandlers } from "./crons.ts";
import { generalHookHandlers } from "./generalHooks.ts";
import { gitTriggerHandlers } from "./gitTriggers.ts";
import { hookDeliveryHandlers } from "./hookDeliveries.ts";
import type { triggerRoutes } from "./routes.ts";

export const triggerHandlers: Handlers<typeof triggerRoutes> = {
  ...generalHookHandlers,
  ...cronHandlers,
  ...gitTriggerHandlers,
  ...hookDeliveryHandlers,
};
