import * as z from "zod";
import { mfaDemands } from "../../../shared/access/identity/store/securitySettings.ts";
import { defineRoute, fromPath } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";

const tag = "Identity";
const verbs = z.array(z.string());

const maxAtOnce = 1000;
const atOnce = z
  .int("must be a whole number")
  .min(1, "must be at least 1")
  .max(maxAtOnce, `must be at most ${maxAtOnce}`);
const concurrency = z
  .object({ workflow_concurrency: atOnce, build_concurrency: atOnce })
  .meta({ id: "ConcurrencySettings" });

const mostPrice = 1_000_000;
const price = (of: string) =>
  z
    .number("must be a number")
    .min(0, "must be 0 or more")
    .max(mostPrice, `must be at most ${mostPrice}`)
    .meta({ description: of });
const prices = z
  .object({
    currency: z.string().regex(/^[A-Z]{3}$/, "must be three capital letters, as USD"),
    vcpu_hour: price("Of pods, each vCPU that they request"),
    gb_hour: price("Of pods, each GB (1024 MiB) of memory that they request"),
    million_lambda_requests: price("Of functions"),
    lambda_gb_second: price("Of functions"),
    thousand_transitions: price("Of state machines"),
    million_read_units: price("Of the table"),
    million_write_units: price("Of the table"),
  })
  .meta({ id: "PriceSettings" });

const security = {
  token_expiration_time: z.int().min(1, "must be at least 1 hour").max(8640, "must be at most 8640 hours"),
  mfa_enabled: z.boolean().meta({ description: "Whether anybody has to have a second factor" }),
  mfa_required_for: z
    .enum(mfaDemands, "must be nobody, administrators or everybody")
    .meta({ description: "Who has to have a second factor, of those who sign in with a password" }),
  improvement_plan: z.boolean(),
};

export const settingRoutes = {
  getOwnPermission: defineRoute({
    method: "GET",
    path: "/api/v1/policy/permission",
    summary: "Read what the caller may do in the installation",
    tag,
    permission: { kind: "filtered" },
    response: z.object({ is_system_admin: z.boolean(), project_admin_list: verbs, system_verbs: verbs }),
  }),
  getOwnProjectPermission: defineRoute({
    method: "GET",
    path: "/api/v1/policy/permission/project/:name",
    summary: "Read what the caller may do in a project; empty for one that does not exist",
    tag,
    permission: { kind: "authenticated" },
    scope: { project: fromPath("name") },
    params: z.object({ name: z.string() }),
    response: z.object({
      is_system_admin: z.boolean(),
      is_project_admin: z.boolean(),
      project_verbs: verbs,
      workflow_verbs_map: z.record(z.string(), verbs),
      environment_verbs_map: z.record(z.string(), verbs),
    }),
  }),
  getSecuritySettings: defineRoute({
    method: "GET",
    path: "/api/aslan/system/security",
    summary: "Read the settings about signing in",
    tag,
    permission: { kind: "systemAdmin" },
    response: z.object(security),
  }),
  setSecuritySettings: defineRoute({
    method: "POST",
    path: "/api/aslan/system/security",
    summary: "Set how many hours a sign-in lives, and who needs a second factor; both hold from the next sign-in on",
    tag,
    permission: { kind: "systemAdmin" },
    body: z
      .object({
        token_expiration_time: security.token_expiration_time,
        mfa_enabled: z.boolean().optional().meta({
          description:
            "Without `mfa_required_for`: false is nobody; true is everybody, unless it is administrators already",
        }),
        mfa_required_for: security.mfa_required_for.optional().meta({ description: "Absent, as both: as it is" }),
        improvement_plan: security.improvement_plan.default(false),
      })
      .refine(
        ({ mfa_enabled: enabled, mfa_required_for: who }) =>
          enabled === undefined || who === undefined || enabled === (who !== "nobody"),
        { path: ["mfa_enabled"], message: "must be true unless mfa_required_for is nobody; leave it out" },
      ),
    response: message,
    audit: { method: "Update", function: "Security Settings", detail: () => "", body: "json" },
  }),
  getConcurrency: defineRoute({
    method: "GET",
    path: "/api/aslan/system/concurrency/workflow",
    summary: "Read how many workflow tasks, and jobs of one parallel stage, may run at once",
    tag: "Settings",
    permission: { kind: "systemAdmin" },
    response: concurrency,
  }),
  setConcurrency: defineRoute({
    method: "POST",
    path: "/api/aslan/system/concurrency/workflow",
    summary: "Set how many workflow tasks, and jobs of one parallel stage, may run at once; what runs goes on",
    tag: "Settings",
    permission: { kind: "systemAdmin" },
    body: concurrency,
    response: message,
    audit: { method: "Update", function: "Concurrency Settings", detail: () => "", body: "json" },
  }),
  getPrices: defineRoute({
    method: "GET",
    path: "/api/aslan/system/prices",
    summary: "Read the prices that costs are told at: those that were set, or public list prices of AWS",
    tag: "Settings",
    permission: { kind: "systemAdmin" },
    response: prices,
  }),
  setPrices: defineRoute({
    method: "POST",
    path: "/api/aslan/system/prices",
    summary: "Set the prices that costs are told at; they hold for what was used before, too",
    tag: "Settings",
    permission: { kind: "systemAdmin" },
    body: prices,
    response: message,
    audit: { method: "Update", function: "Price Settings", detail: () => "", body: "json" },
  }),
};
