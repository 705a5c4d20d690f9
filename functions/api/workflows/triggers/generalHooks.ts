import { createHash, timingSafeEqual } from "node:crypto";
import { seal, unseal } from "../../../../shared/aws/secrets/sealedSecret.ts";
import { ApiError, badRequest, notFound } from "../../../../shared/errors/apiError.ts";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { success } from "../../../../shared/http/schemas.ts";
import { accept } from "../../../../shared/triggers/accept.ts";
import { findTrigger, isStanding, listTriggers } from "../../../../shared/triggers/records/triggers.ts";
import { type GeneralHook, sealedFor, type TriggerBase } from "../../../../shared/triggers/rules/trigger.ts";
import { deleteTrigger, requireOwner, saveTrigger } from "../../../../shared/triggers/saveTrigger.ts";
import { tellStarter } from "../../../../shared/triggers/tellStarter.ts";
import type { triggerRoutes } from "./routes.ts";
import { ownerOf, presetArg, shownOf, wantedOf } from "./wanted.ts";

type GeneralHookIds =
  | "listGeneralHooks"
  | "presetGeneralHook"
  | "addGeneralHook"
  | "changeGeneralHook"
  | "deleteGeneralHook"
  | "callGeneralHook";

const kind = "generalhook";

/** A hook with its secret: the one that was given, or the one that it had. */
function hookWith(secret: string) {
  return async (base: TriggerBase, before: GeneralHook | undefined): Promise<GeneralHook> => {
    const owner = sealedFor({ ...base, kind }, "secret");
    if (secret === "" && before === undefined)
      throw badRequest([{ in: "body", path: "secret", problem: "is required, because none is stored" }]);
    return { ...base, kind, secret: secret === "" && before ? before.secret : await seal(secret, owner) };
  };
}

export const generalHookHandlers: Pick<Handlers<typeof triggerRoutes>, GeneralHookIds> = {
  listGeneralHooks: async ({ params: { workflowName } }) => {
    const found = await listTriggers(await ownerOf(workflowName), kind);
    return found.map((hook) => ({ ...shownOf(hook), address: addressOf(hook) }));
  },
  presetGeneralHook: async ({ params }) => ({
    workflow_arg: presetArg((await requireOwner(params.workflowName)).definition),
  }),
  addGeneralHook: async ({ params: { workflowName: workflowKey }, body, sentBody, caller }) => {
    await saveTrigger("add", { workflowKey, kind }, wantedOf(body, sentBody), caller, hookWith(body.secret));
    return success;
  },
  changeGeneralHook: async ({ params: { workflowName: workflowKey }, body, sentBody, caller }) => {
    await saveTrigger("replace", { workflowKey, kind }, wantedOf(body, sentBody), caller, hookWith(body.secret));
    return success;
  },
  deleteGeneralHook: async ({ params }) => {
    await deleteTrigger({ workflowKey: params.workflowName, kind, name: params.hookName });
    return success;
  },
  callGeneralHook: async ({ params, body, headers }) => {
    const owner = await ownerOf(params.workflowName);
    const hook = await findTrigger({ ...owner, kind, name: params.hookName });
    if (hook === undefined || !isStanding(hook, owner.workflowId)) throw notFound(`hook ${params.hookName}`);
    await requireSecret(hook, headers["x-slipway-token"] ?? "");
    const { deliveryId, deliveries } = await accept({
      ...{ triggers: [hook], event: kind, source: `${kind}#${hook.workflowId}#${hook.name}` },
      sourceId: headers["x-slipway-delivery"] ?? "",
      payload: { trigger: { event: kind }, body },
    });
    for (const { workflowId, trigger } of deliveries) await tellStarter({ workflowId, deliveryId, kind, trigger });
    return { delivery_id: deliveryId };
  },
};

function addressOf({ workflowKey, name }: GeneralHook): string {
  return `/api/aslan/workflow/v4/${kind}/${encodeURIComponent(workflowKey)}/${name}/webhook`;
}

/** @throws ApiError 401 */
async function requireSecret(hook: GeneralHook, sent: string): Promise<void> {
  const secret = await unseal(hook.secret, sealedFor(hook, "secret"));
  const digest = (text: string) => createHash("sha256").update(text).digest();
  if (!timingSafeEqual(digest(sent), digest(secret)))
    throw new ApiError(401, "the header X-Slipway-Token does not have the secret of this hook");
}
