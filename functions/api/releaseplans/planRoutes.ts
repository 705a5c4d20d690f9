import * as z from "zod";
import { maskStart } from "../../../shared/access/audit/maskStart.ts";
import { type Audit, alsoAsText, defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";
import * as schemas from "./planSchemas.ts";
import { shownPreview } from "./previewSchemas.ts";

const tag = "Release plans";
/** Plans belong to no project; who may change one is decided by the plan itself. */
const anybody = { kind: "authenticated" } as const;
const reader = { kind: "systemVerb", verb: "get_release_plan" } as const;
const maker = { kind: "systemVerb", verb: "create_release_plan" } as const;

const consolePath = "/api/aslan/release_plan/v1";
const openPath = "/openapi/release_plan/v1";
const ofPlan = z.object({ id: z.string() });

const inPath = ({ params }: RawRequest): string => params.id ?? "";
const nameInBody = ({ body }: RawRequest): string => (typeof body.name === "string" ? body.name : "");

/** What is kept of a body: of what jobs are started with, nothing that may be a credential. */
function kept({ body }: RawRequest): unknown {
  if (Object.keys(body).length === 0) return undefined;
  const masked = (spec: unknown) => (isObject(spec) ? maskStart(spec) : spec);
  const jobs = Array.isArray(body.jobs)
    ? body.jobs.map((job: unknown) => (isObject(job) ? { ...job, spec: masked(job.spec) } : job))
    : body.jobs;
  const inEdit =
    isObject(body.spec) && isObject(body.spec.spec) ? { ...body.spec, spec: masked(body.spec.spec) } : body.spec;
  return {
    ...maskStart(body),
    ...("jobs" in body && { jobs }),
    ...("spec" in body && { spec: inEdit }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function audit(method: string, detail: Audit["detail"] = inPath): Audit {
  return { method, function: "Release Plan", detail, body: "json", kept };
}
const bodiless = (method: string): Audit => ({ method, function: "Release Plan", detail: inPath, body: "none" });

/** Everything that the console does with one plan, which the OpenAPI mirrors (contract D 2.9). */
function family(path: typeof consolePath | typeof openPath) {
  return {
    job: defineRoute({
      method: "GET",
      path: `${path}/:id/job/:jobID`,
      summary: "Read one job of a release plan, with what it runs",
      tag,
      permission: reader,
      params: z.object({ id: z.string(), jobID: z.string() }),
      response: schemas.shownJob,
      openAnswer: true,
    }),
    edit: defineRoute({
      method: "PUT",
      path: `${path}/:id`,
      summary: "Make one edit of a draft; the verb decides what it is, and which right it asks for",
      tag,
      permission: anybody,
      params: ofPlan,
      body: schemas.editInput,
      response: schemas.savedPlan,
      audit: audit("Update"),
    }),
    copy: defineRoute({
      method: "POST",
      path: `${path}/:id/copy`,
      summary: "Make a draft of what a plan says",
      tag,
      permission: maker,
      params: ofPlan,
      body: schemas.copyInput,
      response: z.object({ message: z.literal("success"), id: z.string() }),
      audit: audit("Copy"),
    }),
    remove: defineRoute({
      method: "DELETE",
      path: `${path}/:id`,
      summary: "Delete a plan in any status; its running tasks are cancelled, its log stays",
      tag,
      permission: { kind: "systemVerb", verb: "delete_release_plan" },
      params: ofPlan,
      response: message,
      audit: bodiless("Delete"),
    }),
    log: defineRoute({
      method: "GET",
      path: `${path}/:id/logs`,
      summary: "Read everything that happened to a plan, newest first",
      tag,
      permission: reader,
      params: ofPlan,
      response: schemas.planLog,
      openAnswer: true,
      cutAt: "list",
    }),
    checkUpdate: defineRoute({
      method: "GET",
      path: `${path}/:id/check_update`,
      summary: "Tell whether a plan was edited since the version that the caller has",
      tag,
      permission: anybody,
      params: ofPlan,
      query: schemas.updateCheck,
      response: schemas.updateState,
    }),
    statistics: defineRoute({
      method: "GET",
      path: `${path}/statistics`,
      summary: "Count the plans that succeeded, by the month in which their execution began",
      tag,
      permission: reader,
      query: schemas.statisticsRange,
      response: schemas.planStatistics,
    }),
    preview: defineRoute({
      method: "POST",
      path: `${path}/:id/preview`,
      reads: true,
      summary: "Tell what every job of a plan would change where, what lies in its way, and who is waited for",
      tag,
      permission: reader,
      params: ofPlan,
      response: shownPreview,
      cutAt: "jobs",
    }),
    calendar: alsoAsText(
      defineRoute({
        method: "GET",
        path: `${path}/calendar`,
        summary: "Read when plans run, their windows, and freezes; also as iCalendar text to subscribe to",
        tag,
        permission: reader,
        query: schemas.calendarRange,
        response: schemas.planCalendar,
        cutAt: "items",
      }),
      { name: "ics", mediaType: "text/calendar" },
    ),
    diff: defineRoute({
      method: "GET",
      path: `${path}/:id/versions/:version/diff`,
      summary: "Tell what the edit was that made a version of a plan",
      tag,
      permission: reader,
      params: z.object({
        id: z.string(),
        version: z
          .string()
          .regex(/^\d{1,9}$/, "must be a version of the plan, a whole number")
          .transform(Number),
      }),
      response: schemas.versionDiff,
      openAnswer: true,
    }),
  };
}

const console = family(consolePath);
const open = family(openPath);

export const planRoutes = {
  listReleasePlans: defineRoute({
    method: "GET",
    path: openPath,
    summary: "List release plans, the newest first",
    tag,
    permission: anybody,
    query: schemas.planPage,
    response: schemas.planList,
  }),
  getReleasePlan: defineRoute({
    method: "GET",
    path: `${openPath}/:id`,
    summary: "Read a release plan, with what its workflow jobs run where the caller may see it",
    tag,
    permission: anybody,
    params: ofPlan,
    response: schemas.shownPlan,
    openAnswer: true,
  }),
  createReleasePlan: defineRoute({
    method: "POST",
    path: openPath,
    summary: "Create a release plan without jobs",
    tag,
    permission: maker,
    body: schemas.newPlanInput,
    response: z.object({ id: z.string() }),
    audit: audit("Create", nameInBody),
  }),
  replaceReleasePlan: defineRoute({
    method: "PATCH",
    path: `${openPath}/:id`,
    summary: "Replace everything of a plan, which is a draft again; what is left out becomes empty",
    tag,
    permission: anybody,
    params: ofPlan,
    body: schemas.planInput,
    response: schemas.savedPlan,
    audit: audit("Update", nameInBody),
  }),
  searchReleasePlans: defineRoute({
    method: "GET",
    path: consolePath,
    summary: "List release plans, the newest first; searched by one of their fields or by their windows",
    tag,
    permission: reader,
    query: schemas.planSearch,
    response: schemas.searchedPlans,
    openAnswer: true,
  }),
  getConsoleReleasePlan: defineRoute({
    method: "GET",
    path: `${consolePath}/:id`,
    summary: "Read a release plan with everybody who may approve it; workflow jobs are read one by one",
    tag,
    permission: reader,
    params: ofPlan,
    response: schemas.shownPlan,
    openAnswer: true,
  }),
  createWholeReleasePlan: defineRoute({
    method: "POST",
    path: consolePath,
    summary: "Create a release plan with its jobs",
    tag,
    permission: maker,
    body: schemas.wholePlanInput,
    response: message,
    audit: audit("Create", nameInBody),
  }),
  getConsoleReleaseJob: console.job,
  getReleaseJob: open.job,
  editConsoleReleasePlan: console.edit,
  editReleasePlan: open.edit,
  copyConsoleReleasePlan: console.copy,
  copyReleasePlan: open.copy,
  deleteConsoleReleasePlan: console.remove,
  deleteReleasePlan: open.remove,
  getConsoleReleasePlanLog: console.log,
  getReleasePlanLog: open.log,
  checkConsoleReleasePlanUpdate: console.checkUpdate,
  checkReleasePlanUpdate: open.checkUpdate,
  getConsoleReleasePlanVersion: console.diff,
  getReleasePlanVersion: open.diff,
  getConsoleReleasePlanStatistics: console.statistics,
  getReleasePlanStatistics: open.statistics,
  previewConsoleReleasePlan: console.preview,
  previewReleasePlan: open.preview,
  getConsoleReleasePlanCalendar: console.calendar,
  getReleasePlanCalendar: open.calendar,
};
