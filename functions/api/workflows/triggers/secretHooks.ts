import { createHash, timingSafeEqual } from "node:crypto";
import { type SealedSecret, seal, unseal } from "../../../../shared/base/aws/secrets/sealedSecret.ts";
import { ApiError, badRequest, notFound } from "../../../../shared/base/errors/apiError.ts";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { success } from "../../../../shared/http/schemas.ts";
import { at } from "../../../../shared/manifest/workloads.ts";
import { acceptHookDeliveries } from "../../../../shared/workflows/triggers/intake/acceptHookDeliveries.ts";
import { notifyStarter } from "../../../../shared/workflows/triggers/intake/notifyStarter.ts";
import {
  findTrigger,
  isStanding,
  listTriggers,
  type OfKind,
} from "../../../../shared/workflows/triggers/records/triggers.ts";
import {
  type GeneralHook,
  type JiraHook,
  sealedFor,
  type TriggerBase,
} from "../../../../shared/workflows/triggers/rules/trigger.ts";
import { deleteTrigger, requireOwner } from "../../../../shared/workflows/triggers/saveTrigger.ts";
import type { triggerRoutes } from "./routes.ts";
import { ownerOf, presetArg, saveWanted, shownOf } from "./wanted.ts";

type SecretHook = GeneralHook | JiraHook;
type SecretKind = SecretHook["kind"];

type SecretHookIds =
  | "listGeneralHooks"
  | "presetGeneralHook"
  | "addGeneralHook"
  | "changeGeneralHook"
  | "deleteGeneralHook"
  | "callGeneralHook"
  | "listJiraHooks"
  | "presetJiraHook"
  | "addJiraHook"
  | "changeJiraHook"
  | "deleteJiraHook"
  | "callJiraHook";

interface InPath {
  workflowName: string;
  hookName: string;
}

/** The secret that was given, sealed, or the one that the hook has. */
async function secretOf(
  kind: SecretKind,
  given: string,
  base: TriggerBase,
  before: SecretHook | undefined,
): Promise<SealedSecret> {
  if (given !== "") return seal(given, sealedFor({ ...base, kind }, "secret"));
  if (before === undefined)
    throw badRequest([{ in: "body", path: "secret", problem: "is required, because none is stored" }]);
  return before.secret;
}

function shownHook(hook: SecretHook) {
  const address = `/api/aslan/workflow/v4/${hook.kind}/${encodeURIComponent(hook.workflowKey)}/${hook.name}/webhook`;
  return { ...shownOf(hook), address };
}

async function remove(kind: SecretKind, { workflowName, hookName }: InPath) {
  await deleteTrigger({ workflowKey: workflowName, kind, name: hookName });
  return success;
}

const preset = async ({ workflowName }: { workflowName: string }) => ({
  workflow_arg: presetArg((await requireOwner(workflowName)).definition),
});

/** @throws ApiError 404 */
async function standing<K extends SecretKind>(kind: K, { workflowName, hookName }: InPath): Promise<OfKind<K>> {
  const owner = await ownerOf(workflowName);
  const hook = await findTrigger({ ...owner, kind, name: hookName });
  if (hook === undefined || !isStanding(hook, owner.workflowId)) throw notFound(`hook ${hookName}`);
  return hook;
}

/** @throws ApiError 401 */
async function requireSecret(hook: SecretHook, headers: Readonly<Record<string, string>>): Promise<void> {
  const secret = await unseal(hook.secret, sealedFor(hook, "secret"));
  const digest = (text: string) => createHash("sha256").update(text).digest();
  if (!timingSafeEqual(digest(headers["x-slipway-token"] ?? ""), digest(secret)))
    throw new ApiError(401, "the header X-Slipway-Token does not have the secret of this hook");
}

/** @param isMeant whether the hook listens to what it was told */
async function taken(
  hook: SecretHook,
  isMeant: boolean,
  told: { sourceId: string | undefined; trigger: Readonly<Record<string, string>>; body: unknown },
): Promise<{ delivery_id: string }> {
  const { kind } = hook;
  const { deliveryId, deliveries } = await acceptHookDeliveries({
    ...{ triggers: isMeant ? [hook] : [], event: told.trigger.event ?? kind },
    ...{ source: `${kind}#${hook.workflowId}#${hook.name}`, sourceId: told.sourceId ?? "" },
    payload: { trigger: told.trigger, body: told.body },
  });
  for (const { workflowId, trigger } of deliveries) await notifyStarter({ workflowId, deliveryId, kind, trigger });
  return { delivery_id: deliveryId };
}

const save = {
  generalhook: (async (way, request) => {
    const kind = "generalhook";
    await saveWanted(way, { workflowKey: request.params.workflowName, kind }, request, async (base, before) => ({
      ...{ ...base, kind, secret: await secretOf(kind, request.body.secret, base, before) },
    }));
    return success;
  }) satisfies Saves<"changeGeneralHook">,
  jirahook: (async (way, request) => {
    const kind = "jirahook";
    await saveWanted(way, { workflowKey: request.params.workflowName, kind }, request, async (base, before) => ({
      ...{ ...base, kind, secret: await secretOf(kind, request.body.secret, base, before) },
      ...{ events: request.body.events, projects: request.body.project_keys },
    }));
    return success;
  }) satisfies Saves<"changeJiraHook">,
};

type Saves<Id extends "changeGeneralHook" | "changeJiraHook"> = (
  way: "add" | "replace",
  request: Parameters<Handlers<typeof triggerRoutes>[Id]>[0],
) => Promise<typeof success>;

/** Hooks that are called with a secret of their own. */
export const secretHookHandlers: Pick<Handlers<typeof triggerRoutes>, SecretHookIds> = {
  listGeneralHooks: async ({ params }) =>
    (await listTriggers(await ownerOf(params.workflowName), "generalhook")).map(shownHook),
  presetGeneralHook: ({ params }) => preset(params),
  addGeneralHook: (request) => save.generalhook("add", request),
  changeGeneralHook: (request) => save.generalhook("replace", request),
  deleteGeneralHook: ({ params }) => remove("generalhook", params),
  callGeneralHook: async ({ params, body, headers }) => {
    const hook = await standing("generalhook", params);
    await requireSecret(hook, headers);
    return taken(hook, true, { sourceId: headers["x-slipway-delivery"], trigger: { event: hook.kind }, body });
  },
  listJiraHooks: async ({ params }) => {
    const found = await listTriggers(await ownerOf(params.workflowName), "jirahook");
    return found.map((hook) => ({ ...shownHook(hook), events: [...hook.events], project_keys: [...hook.projects] }));
  },
  presetJiraHook: ({ params }) => preset(params),
  addJiraHook: (request) => save.jirahook("add", request),
  changeJiraHook: (request) => save.jirahook("replace", request),
  deleteJiraHook: ({ params }) => remove("jirahook", params),
  callJiraHook: async ({ params, body, headers }) => {
    const hook = await standing("jirahook", params);
    await requireSecret(hook, headers);
    const trigger = jiraEventOf(body);
    // Jira says the same one when it tries again.
    const sourceId = headers["x-slipway-delivery"] ?? headers["x-atlassian-webhook-identifier"];
    return taken(hook, listensTo(hook, trigger), { sourceId, trigger, body });
  },
};

/** What Jira tells of, as jobs may use it: `{{.payload.trigger.issue}}`. */
type JiraEvent = Readonly<Record<"event" | "issue" | "project" | "issue_type" | "status" | "summary" | "user", string>>;

/** Reads the body of a webhook of Jira; what it does not say is empty. */
function jiraEventOf(body: Readonly<Record<string, unknown>>): JiraEvent {
  const text = (...path: string[]): string => {
    const found = at(body, path);
    return typeof found === "string" ? found : "";
  };
  return {
    event: text("webhookEvent"),
    issue: text("issue", "key"),
    project: text("issue", "fields", "project", "key"),
    issue_type: text("issue", "fields", "issuetype", "name"),
    status: text("issue", "fields", "status", "name"),
    summary: text("issue", "fields", "summary"),
    user: text("user", "displayName"),
  };
}

function listensTo({ events, projects }: Pick<JiraHook, "events" | "projects">, told: JiraEvent): boolean {
  const fits = (wanted: readonly string[], value: string) => wanted.length === 0 || wanted.includes(value);
  return fits(events, told.event) && fits(projects, told.project);
}
