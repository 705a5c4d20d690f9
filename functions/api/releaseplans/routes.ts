import { approvalCallbackRoutes } from "./approvals/approvalCallbackRoutes.ts";
import { freezeRoutes } from "./freezes/freezeRoutes.ts";
import { hookRoutes } from "./hookRoutes.ts";
import { planCallRoutes } from "./planCallRoutes.ts";
import { planRoutes } from "./planRoutes.ts";

export const releasePlanRoutes = {
  ...approvalCallbackRoutes,
  ...freezeRoutes,
  ...hookRoutes,
  ...planRoutes,
  ...planCallRoutes,
};
