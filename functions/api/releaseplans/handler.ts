import { createApi } from "../../../shared/http/createApi.ts";
import { approvalCallbackHandlers } from "./approvalCallbacks.ts";
import { freezeHandlers } from "./freezeHandlers.ts";
import { hookHandlers } from "./hooks.ts";
import { planCallHandlers } from "./planCalls.ts";
import { planHandlers } from "./plans.ts";
import { releasePlanRoutes } from "./routes.ts";

export const handler = createApi(releasePlanRoutes, {
  ...approvalCallbackHandlers,
  ...freezeHandlers,
  ...hookHandlers,
  ...planHandlers,
  ...planCallHandlers,
});
