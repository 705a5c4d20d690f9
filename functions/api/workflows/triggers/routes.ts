import * as z from "zod";
import { defineRoute } from "../../../../shared/http/route.ts";
import { recordId } from "../../../../shared/http/schemas.ts";
import { audit, mayRead, mayRun, ofPath, root, routesInPath, routesInQuery, tag } from "./familyRoutes.ts";
import {
  changedHook,
  cronBody,
  hookDelivery,
  inPath,
  newHook,
  presetCron,
  presetHook,
  shownCron,
  shownHook,
  taken,
} from "./schemas.ts";

const hooks = routesInPath(
  { kind: "generalhook", noun: "general hook", nouns: "general hooks" },
  { added: newHook, changed: changedHook, shown: shownHook, preset: presetHook },
);
const crons = routesInQuery(
  { kind: "cron", noun: "cron", nouns: "crons" },
  { added: cronBody, changed: cronBody, shown: shownCron, preset: presetCron },
);

/** Nobody signs in: the secret of the hook tells who may; what a call leads to stands among the deliveries. */
const received = {
  ...({ method: "POST", reads: true } as const),
  ...({ tag, permission: { kind: "public" }, response: taken, answerStatus: 202 } as const),
};

export const triggerRoutes = {
  listGeneralHooks: hooks.list,
  presetGeneralHook: hooks.preset,
  addGeneralHook: hooks.add,
  changeGeneralHook: hooks.change,
  deleteGeneralHook: hooks.remove,
  listCrons: crons.list,
  presetCron: crons.preset,
  addCron: crons.add,
  changeCron: crons.change,
  deleteCron: crons.remove,
  callGeneralHook: defineRoute({
    ...received,
    path: `${root}/generalhook/:workflowName/:hookName/webhook`,
    summary: "Start the workflow of a general hook; the header X-Slipway-Token has its secret",
    params: inPath.extend({ hookName: z.string() }),
    body: z.looseObject({}).default({}).meta({ description: "Any JSON object, used as `{{.payload.<path>}}`" }),
  }),
  listHookDeliveries: defineRoute({
    method: "GET",
    path: `${root}/triggerdelivery/:workflowName`,
    summary: "List what set triggers of a workflow going and what came of it, newest first, at most 100",
    tag,
    permission: mayRead,
    scope: ofPath,
    params: inPath,
    response: z.array(hookDelivery),
  }),
  replayHookDelivery: defineRoute({
    method: "POST",
    path: `${root}/triggerdelivery/:workflowName/:deliveryId(hex)/replay`,
    summary: "Start what a delivery starts once more, by the triggers as they are now",
    tag,
    permission: mayRun,
    scope: ofPath,
    params: inPath.extend({ deliveryId: recordId }),
    response: taken,
    answerStatus: 202,
    audit: audit("Replay", "none"),
  }),
};
