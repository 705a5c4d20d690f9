import * as z from "zod";
import { badRequest } from "../../../../shared/base/errors/apiError.ts";
import { defineRoute } from "../../../../shared/http/route.ts";
import { recordId } from "../../../../shared/http/schemas.ts";
import { audit, mayRead, mayRun, ofPath, root, routesInPath, routesInQuery, tag } from "./familyRoutes.ts";
import {
  changedHook,
  changedJiraHook,
  cronBody,
  gitBody,
  hookDelivery,
  inPath,
  newHook,
  newJiraHook,
  presetCron,
  presetGit,
  presetHook,
  presetWorkflowHook,
  shownCron,
  shownGit,
  shownHook,
  shownJiraHook,
  shownWorkflowHook,
  taken,
  takenFromCodeHost,
  workflowHookBody,
} from "./schemas.ts";

const hooks = routesInPath(
  { kind: "generalhook", noun: "general hook", nouns: "general hooks" },
  { added: newHook, changed: changedHook, shown: shownHook, preset: presetHook },
);
const jiraHooks = routesInPath(
  { kind: "jirahook", noun: "Jira hook", nouns: "Jira hooks" },
  { added: newJiraHook, changed: changedJiraHook, shown: shownJiraHook, preset: presetHook },
);
const crons = routesInQuery(
  { kind: "cron", noun: "cron", nouns: "crons" },
  { added: cronBody, changed: cronBody, shown: shownCron, preset: presetCron },
);

const gits = routesInQuery(
  { kind: "webhook", noun: "git trigger", nouns: "git triggers" },
  { added: gitBody, changed: gitBody, shown: shownGit, preset: presetGit },
);

const workflowHooks = routesInPath(
  { kind: "workflowhook", noun: "start after another workflow", nouns: "starts after other workflows" },
  { added: workflowHookBody, changed: workflowHookBody, shown: shownWorkflowHook, preset: presetWorkflowHook },
);

/** There is no sign-in: the secret of the hook authorizes the call; what it leads to is listed among the deliveries. */
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
  listJiraHooks: jiraHooks.list,
  presetJiraHook: jiraHooks.preset,
  addJiraHook: jiraHooks.add,
  changeJiraHook: jiraHooks.change,
  deleteJiraHook: jiraHooks.remove,
  listCrons: crons.list,
  presetCron: crons.preset,
  addCron: crons.add,
  changeCron: crons.change,
  deleteCron: crons.remove,
  listGitTriggers: gits.list,
  presetGitTrigger: gits.preset,
  addGitTrigger: gits.add,
  changeGitTrigger: gits.change,
  deleteGitTrigger: gits.remove,
  listWorkflowHooks: workflowHooks.list,
  presetWorkflowHook: workflowHooks.preset,
  addWorkflowHook: workflowHooks.add,
  changeWorkflowHook: workflowHooks.change,
  deleteWorkflowHook: workflowHooks.remove,
  hearCodeHost: defineRoute({
    ...received,
    response: takenFromCodeHost,
    path: "/api/aslan/webhook",
    summary: "Hear from GitHub, GitLab, Gitea or Gitee what happened, signed with the webhook_secret of the code host",
    body: z.looseObject({}).meta({ description: "As the code host sends it, as JSON or as a form" }),
    readBody: { mediaType: "application/x-www-form-urlencoded", read: payloadOfForm },
  }),
  callGeneralHook: defineRoute({
    ...received,
    path: `${root}/generalhook/:workflowName/:hookName/webhook`,
    summary: "Start the workflow of a general hook; the header X-Slipway-Token has its secret",
    params: inPath.extend({ hookName: z.string() }),
    body: z.looseObject({}).default({}).meta({ description: "Any JSON object, used as `{{.payload.<path>}}`" }),
  }),
  callJiraHook: defineRoute({
    ...received,
    path: `${root}/jirahook/:workflowName/:hookName/webhook`,
    summary: "Hear from Jira what happened to an issue; the header X-Slipway-Token has the secret of the hook",
    params: inPath.extend({ hookName: z.string() }),
    body: z.looseObject({}).meta({ description: "As Jira sends it, used as `{{.payload.<path>}}`" }),
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

/** Code hosts that send a form put the JSON into its field `payload`. */
function payloadOfForm(text: string): unknown {
  try {
    return JSON.parse(new URLSearchParams(text).get("payload") ?? "");
  } catch {
    throw badRequest([{ in: "body", path: "payload", problem: "must be a field of the form that holds JSON" }]);
  }
}
