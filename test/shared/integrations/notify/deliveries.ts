import { newId } from "../../../../shared/base/store/ids.ts";
import { type Announcement, announce } from "../../../../shared/integrations/notify/announce.ts";
import { type Delivery, listDeliveries } from "../../../../shared/integrations/notify/store/deliveries.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { noticeWith } from "./rules/notices.ts";

let lastTask = 0;

/** The notice of a task that nothing was said about yet. */
export function freshNotice(changes: Parameters<typeof noticeWith>[0] = {}) {
  lastTask += 1;
  return noticeWith({ taskRecordId: newId(), taskId: lastTask, ...changes });
}

type Notice = ReturnType<typeof freshNotice>;

/** Announces an event of a task to settings that fire for everything. */
export async function tell(notice: Notice, ctls: readonly object[], more: Partial<Announcement> = {}): Promise<void> {
  const event = more.event ?? "failed";
  const settings = ctls.map((ctl) => ({ enabled: true, notify_type: [event], ...ctl }));
  await announce({
    notice: async () => notice,
    level: notice.job === undefined ? "task" : "job",
    event,
    ctls: settings,
    render: () => "",
    ...more,
  });
}

export function deliveriesOf({ project, workflow, taskId }: Notice): Promise<Delivery[]> {
  return listDeliveries({ projectKey: project.key, workflowKey: workflow.key, taskId });
}

/** The deliveries of a task once so many were recorded and all have ended. */
export function ended(notice: Notice, count: number): Promise<Delivery[]> {
  return waitFor(`${count} ended deliveries`, async () => {
    const found = await deliveriesOf(notice);
    return found.length >= count && found.every(({ status }) => status !== "pending") && found;
  });
}
