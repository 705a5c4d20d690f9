import * as z from "zod";
import { type Audit, defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";
import * as schemas from "./planSchemas.ts";

const tag = "Release plans";
/** Who may is decided by the plan: its manager, the job's, those who are named to approve. */
const permission = { kind: "authenticated" } as const;
const ofPlan = z.object({ id: z.string() });

function audit(method: string, body: Audit["body"] = "json"): Audit {
  return { method, function: "Release Plan", detail: ({ params }: RawRequest) => params.id ?? "", body };
}

/** The calls that move a plan (contract D 2.9), which the OpenAPI mirrors. */
function family(path: "/api/aslan/release_plan/v1" | "/openapi/release_plan/v1") {
  const ofJob = { tag, permission, params: ofPlan, body: schemas.jobCallInput, response: message };
  return {
    status: defineRoute({
      method: "POST",
      path: `${path}/:id/status/:status`,
      summary: "Move a plan on: its manager's, and an administrator's",
      tag,
      permission,
      params: schemas.statusPath,
      response: message,
      audit: audit("Update Status", "none"),
    }),
    approve: defineRoute({
      method: "POST",
      path: `${path}/:id/approve`,
      summary: "Approve or reject a plan, as one of those who are named",
      tag,
      permission,
      params: ofPlan,
      body: schemas.approveInput,
      response: message,
      audit: audit("Approve"),
    }),
    execute: defineRoute({
      ...ofJob,
      method: "POST",
      path: `${path}/:id/execute`,
      summary: "Execute a job: a workflow starts as its caller, a text job is done",
      freeze: "handler",
      audit: audit("Execute"),
    }),
    skip: defineRoute({
      ...ofJob,
      method: "POST",
      path: `${path}/:id/skip`,
      summary: "Leave out a job that is to do",
      audit: audit("Skip"),
    }),
    retry: defineRoute({
      ...ofJob,
      method: "POST",
      path: `${path}/:id/retry`,
      summary: "Run the task of a failed job again",
      freeze: "handler",
      audit: audit("Retry"),
    }),
    rollback: defineRoute({
      method: "POST",
      path: `${path}/:id/rollback`,
      summary: "End a plan and take back what its tasks deployed: its manager's, and an administrator's",
      tag,
      permission,
      params: ofPlan,
      response: message,
      audit: audit("Rollback", "none"),
    }),
  };
}

const console = family("/api/aslan/release_plan/v1");
const open = family("/openapi/release_plan/v1");

export const planCallRoutes = {
  moveConsoleReleasePlan: console.status,
  moveReleasePlan: open.status,
  approveConsoleReleasePlan: console.approve,
  approveReleasePlan: open.approve,
  executeConsoleReleaseJob: console.execute,
  executeReleaseJob: open.execute,
  skipConsoleReleaseJob: console.skip,
  skipReleaseJob: open.skip,
  retryConsoleReleaseJob: console.retry,
  retryReleaseJob: open.retry,
  rollBackConsoleReleasePlan: console.rollback,
  rollBackReleasePlan: open.rollback,
};
