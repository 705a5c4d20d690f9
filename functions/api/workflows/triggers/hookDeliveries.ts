import { readStoredText } from "../../../../shared/base/aws/objects/objectStore.ts";
import { badRequest, notFound } from "../../../../shared/base/errors/apiError.ts";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { gitVendors } from "../../../../shared/integrations/rules/codeHosts/providers.ts";
import { codeHosts } from "../../../../shared/integrations/store/codeHosts.ts";
import { gitEventOf } from "../../../../shared/workflows/triggers/git/readEvent.ts";
import { verdictOn } from "../../../../shared/workflows/triggers/git/verdict.ts";
import { acceptHookDeliveries } from "../../../../shared/workflows/triggers/intake/acceptHookDeliveries.ts";
import { notifyStarter } from "../../../../shared/workflows/triggers/intake/notifyStarter.ts";
import { type HookDelivery, listHookDeliveries } from "../../../../shared/workflows/triggers/records/hookDeliveries.ts";
import { findTrigger, isStanding } from "../../../../shared/workflows/triggers/records/triggers.ts";
import type { Payload } from "../../../../shared/workflows/triggers/rules/payload.ts";
import type { triggerRoutes } from "./routes.ts";
import { ownerOf } from "./wanted.ts";

type DeliveryIds = "listHookDeliveries" | "replayHookDelivery";

const shown = 100;
/** Triggers of one workflow that one call sets going. */
const mostOfOne = 100;

export const hookDeliveryHandlers: Pick<Handlers<typeof triggerRoutes>, DeliveryIds> = {
  listHookDeliveries: async ({ params }) => {
    const { workflowId } = await ownerOf(params.workflowName);
    return (await listHookDeliveries(workflowId, { limit: shown })).map(toWire);
  },
  replayHookDelivery: async ({ params }) => {
    const { workflowId } = await ownerOf(params.workflowName);
    const found = await listHookDeliveries(workflowId, { deliveryId: params.deliveryId, limit: mostOfOne });
    const [first] = found;
    if (first === undefined) throw notFound(`delivery ${params.deliveryId}`);
    const payload: Payload = JSON.parse(await readStoredText(first.payload));
    const problems = await Promise.all(found.map((one) => replayProblem(one, payload)));
    const again = found.filter((_, at) => problems[at] === undefined);
    if (again.length === 0)
      throw badRequest([{ in: "path", path: "deliveryId", problem: `it starts nothing: ${problems[0]}` }]);
    const { deliveryId, deliveries } = await acceptHookDeliveries({
      triggers: again.map(({ trigger: name, ...rest }) => ({ ...rest, name })),
      ...{ event: again[0]?.event ?? "", source: "replay", sourceId: "", replayOf: params.deliveryId },
      payload,
    });
    for (const { kind, trigger } of deliveries) await notifyStarter({ workflowId, deliveryId, kind, trigger });
    return { delivery_id: deliveryId };
  },
};

function toWire({ deliveryId, kind, trigger, event, sourceId, status, taskId, problem, ...rest }: HookDelivery) {
  return {
    ...{ delivery_id: deliveryId, kind, trigger, event, source_id: sourceId, status, task_id: taskId, problem },
    ...{ replay_of: rest.replayOf, create_time: rest.createdAt, end_time: rest.endedAt },
  };
}

/**
 * Why what a code host told of starts nothing when it is repeated, by the trigger as it is now; undefined when it does, and
 * where the start itself finds out: for other kinds, and what was deleted since.
 */
async function replayProblem(
  { kind, workflowKey, workflowId, trigger: name }: HookDelivery,
  { body }: Payload,
): Promise<string | undefined> {
  if (kind !== "webhook") return undefined;
  const trigger = await findTrigger({ workflowKey, kind, name });
  if (trigger === undefined || !isStanding(trigger, workflowId)) return undefined;
  const type = (await codeHosts.find(trigger.codeHostId))?.shown.type;
  const vendor = gitVendors.find((one) => one === type);
  const happened = vendor && gitEventOf(vendor, body);
  if (happened === undefined) return undefined;
  const verdict = verdictOn(trigger, happened);
  if (verdict === "starts") return undefined;
  return verdict === "not concerned" ? `trigger ${name} does not listen to ${happened.event}` : verdict.problem;
}
