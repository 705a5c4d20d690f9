import * as z from "zod";
import { hookAddress, secretLine } from "../../../shared/http/fields.ts";
import { defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { isObject, message, recordId } from "../../../shared/http/schemas.ts";
import { callbackResults } from "../../../shared/releaseplans/rules/callback.ts";
import { hookEvents } from "../../../shared/releaseplans/rules/plan.ts";

const tag = "Release plan hook";
const flag = z.boolean("must be true or false");
const names = hookEvents.join(", ");
const planInBody = ({ body }: RawRequest): string =>
  typeof body.release_plan_id === "string" ? body.release_plan_id : "";

/** A secret that is absent, or sent as it is shown, stays; an empty one goes. */
const wanted = z
  .object({
    enable: flag,
    enable_call_back: flag.default(false),
    hook_address: z.union([z.literal(""), hookAddress("hook_address")]).default(""),
    hook_secret: secretLine(1024).optional(),
    hook_events: z
      .array(z.enum(hookEvents, `must be one of ${names}`), `must be a list of ${names}`)
      .default([])
      .transform((list) => hookEvents.filter((event) => list.includes(event))),
  })
  .superRefine(
    ({ enable, hook_address, hook_events }, context) => {
      if (enable !== true) return;
      const required = (field: string, message: string) =>
        context.addIssue({ code: "custom", path: [field], message: `${message} when enable is true` });
      if (hook_address === "") required("hook_address", "is required");
      if (Array.isArray(hook_events) && hook_events.length === 0)
        required("hook_events", `must name at least one of ${names}`);
    },
    { when: isObject },
  );
export type HookSettingBody = z.output<typeof wanted>;

const shown = z
  .object({
    enable: z.boolean(),
    enable_call_back: z.boolean(),
    hook_address: z.string().meta({ description: "Without its query for who may not change it" }),
    hook_secret: z.string().meta({ description: "******** when there is one" }),
    hook_events: z.array(z.enum(hookEvents)),
  })
  .meta({ id: "ReleasePlanHook" });

const text = z
  .string("must be a text")
  .max(4096, "must have at most 4096 characters")
  .nullish()
  .transform((value) => value ?? "");

const callback = z.object({
  release_plan_id: recordId,
  instance_code: z.string("must be the instance_code of the call that is answered").max(64),
  hook_event: z.enum(hookEvents, `must be one of ${names}`),
  result: z.enum(callbackResults, `must be one of ${callbackResults.join(", ")}`),
  failed_reason: text,
  description: text,
});

/** The answer of an external system, at each of its addresses. */
function answerAt(path: `/${string}`) {
  return defineRoute({
    method: "POST",
    path,
    summary: "Answer an external check: the plan goes on, fails the check, or waits on; nothing while checks are off",
    tag,
    permission: { kind: "systemVerb", verb: "edit_config_release_plan" },
    body: callback,
    response: message,
    audit: { method: "Callback", function: "Release Plan", detail: planInBody, body: "json" },
  });
}

function family(path: "/api/aslan/release_plan/v1" | "/openapi/release_plan/v1") {
  return {
    read: defineRoute({
      method: "GET",
      path: `${path}/hook/setting`,
      summary: "Read who is told of release plans, or asked whether they may go on; disabled and empty at first",
      tag,
      permission: { kind: "authenticated" },
      response: shown,
    }),
    set: defineRoute({
      method: "PUT",
      path: `${path}/hook/setting`,
      summary: "Set who is told of release plans; a plan goes by what stood here at its last edit",
      tag,
      permission: { kind: "systemVerb", verb: "edit_config_release_plan" },
      body: wanted,
      response: message,
      audit: { method: "Update", function: "Release Plan Hook", detail: () => "setting", body: "json" },
    }),
    answer: answerAt(`${path}/hook/callback`),
  };
}

const console = family("/api/aslan/release_plan/v1");
const open = family("/openapi/release_plan/v1");

export const hookRoutes = {
  getConsoleReleasePlanHook: console.read,
  getReleasePlanHook: open.read,
  setConsoleReleasePlanHook: console.set,
  setReleasePlanHook: open.set,
  answerConsoleReleasePlanHook: console.answer,
  answerReleasePlanHook: open.answer,
  answerReleasePlanHookAtRoot: answerAt("/api/callback/release_plan"),
};
