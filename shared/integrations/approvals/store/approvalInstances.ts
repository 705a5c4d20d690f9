import { nowSeconds } from "../../../base/store/ids.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { overwrite } from "../../../base/store/writes.ts";

/** Longer than a round waits; who calls back later is heard at the next look. */
const keptSeconds = 400 * 24 * 3600;

/** Of the round of the approval: another one each time that it begins. */
interface Round {
  key: string;
}

/** A release plan. */
export interface PlanOwner extends Round {
  planId: string;
}

/** A job of a task, by its name, or a stage, by its place. */
export type TaskOwner = Round & { ownerId: string; taskId: number } & ({ job: string } | { stage: number });

/** What waits for an instance of a chat service. */
export type InstanceOwner = PlanOwner | TaskOwner;

/** Instances are named by the app and the code that the service gave; callbacks bring nothing else. */
export async function recordInstance(appId: string, code: string, owner: InstanceOwner): Promise<void> {
  const item = { ...keys.approvalInstance(appId, code), type: "approval-instance", owner };
  await table().write(overwrite({ ...item, ttl: nowSeconds() + keptSeconds }));
}

export async function findInstance(appId: string, code: string): Promise<InstanceOwner | undefined> {
  return (await table().get<{ owner: InstanceOwner }>(keys.approvalInstance(appId, code)))?.owner;
}
