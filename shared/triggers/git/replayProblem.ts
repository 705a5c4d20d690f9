import { codeHosts } from "../../integrations/store/codeHosts.ts";
import type { HookDelivery } from "../records/hookDeliveries.ts";
import { findTrigger, isStanding } from "../records/triggers.ts";
import type { Payload } from "../rules/payload.ts";
import { gitVendors } from "./gitEvent.ts";
import { gitEventOf } from "./readEvent.ts";
import { verdictOn } from "./verdict.ts";

/**
 * Why what a code host told of starts nothing when it is repeated, by the trigger as it is now; undefined when it does, and
 * where the start itself finds out: for other kinds, and what was deleted since.
 */
export async function replayProblem(
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
