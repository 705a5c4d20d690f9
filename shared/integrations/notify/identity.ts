import { createHash } from "node:crypto";
import type { SecretOwner } from "../../base/aws/secrets/sealedSecret.ts";
import type { DeliveryRef } from "./store/deliveries.ts";

/** What tells a delivery from every other one. */
export interface DeliveryIdentity {
  taskRecordId: string;
  attempt: number;
  jobName: string;
  event: string;
  index: number;
  target: string;
}

/** The same identity has the same ids, so that a repetition after a crash is the same delivery. */
export function idsOf(identity: DeliveryIdentity): { deliveryId: string; eventUuid: string; webhookUuid: string } {
  const { taskRecordId, attempt, jobName, event, index, target } = identity;
  const digest = (purpose: string) =>
    createHash("sha256")
      .update(JSON.stringify([purpose, taskRecordId, attempt, jobName, event, index, target]))
      .digest("hex");
  return {
    deliveryId: digest("delivery").slice(0, 24),
    eventUuid: uuidOf(digest("event")),
    webhookUuid: uuidOf(digest("webhook")),
  };
}

/** Owner of the secrets that are sealed beside a delivery. */
export function secretOwner({ taskRecordId, deliveryId }: DeliveryRef): SecretOwner {
  return { record: `delivery:${taskRecordId}:${deliveryId}`, field: "destination" };
}

/** RFC 9562, version 8: a UUID of bits of one's own. */
function uuidOf(digest: string): string {
  const variant = "89ab"[Number.parseInt(digest[16] ?? "0", 16) % 4] ?? "8";
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join("-");
}
