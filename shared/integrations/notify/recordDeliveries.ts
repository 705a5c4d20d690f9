import { storeText } from "../../base/aws/objects/objectStore.ts";
import { seal } from "../../base/aws/secrets/sealedSecret.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { idsOf, secretOwner } from "./identity.ts";
import type { PlannedDelivery } from "./rules/plannedDeliveries.ts";
import type { TaskNotice } from "./rules/taskNotice.ts";
import { createDelivery, type Delivery, type DeliveryRef } from "./store/deliveries.ts";

/** Which task a delivery is about. */
export type AboutTask = Pick<TaskNotice, "taskRecordId" | "attempt" | "taskId" | "baseUrl"> & {
  projectKey: string;
  workflowKey: string;
};

export interface Recorded {
  about: AboutTask;
  jobName: string;
  event: string;
  /** What tells two events of one kind apart: the stage or job that waits. */
  place?: string;
  /** The setting's place in its list. */
  index: number;
  hookEvent: string;
}

/** Records what is to be sent, each by itself; what was recorded before stays as it is. */
export function recordDeliveries(
  planned: readonly (Omit<PlannedDelivery, "type"> & Pick<Delivery, "type">)[],
  recorded: Recorded,
): Promise<DeliveryRef[]> {
  return Promise.all(
    planned.map(async ({ type, target, parts, secrets }) => {
      const { about, jobName, event, place = "", index, hookEvent } = recorded;
      const { projectKey, workflowKey, taskId, taskRecordId, attempt, baseUrl: instance } = about;
      // A place can get another recipient between two tries of the caller; type and target tell the two apart.
      const { deliveryId, eventUuid, webhookUuid } = idsOf({
        ...{ taskRecordId, attempt, jobName, event: `${event} ${place}`.trim(), index },
        target: `${type} ${target}`,
      });
      const ref = { projectKey, workflowKey, taskId, taskRecordId, deliveryId };
      const holdsSecrets = Object.keys(secrets).length > 0;
      await createDelivery({
        ...ref,
        ...{ attempt, jobName, event, index, type, target, hookEvent, eventUuid, webhookUuid, instance },
        content: await storeText(JSON.stringify(parts)),
        ...(holdsSecrets && { secrets: await seal(JSON.stringify(secrets), secretOwner(ref)) }),
        ...{ status: "pending", partsSent: 0, tries: [], createdAt: nowSeconds(), endedAt: 0 },
      });
      return ref;
    }),
  );
}

/** The task of a notice. */
export function aboutTask({ taskRecordId, attempt, taskId, baseUrl, project, workflow }: TaskNotice): AboutTask {
  return { taskRecordId, attempt, taskId, baseUrl, projectKey: project.key, workflowKey: workflow.key };
}
