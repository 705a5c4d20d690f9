import { readValue } from "../../base/common/readValue.ts";
import { readied } from "./announce.ts";
import { aboutTask, recordDeliveries } from "./recordDeliveries.ts";
import { destinationOf } from "./rules/destination.ts";
import { line, type Message } from "./rules/message.ts";
import { notifyCtl } from "./rules/notifyCtl.ts";
import { plannedDeliveries } from "./rules/plannedDeliveries.ts";
import { taskLink } from "./rules/taskLinks.ts";
import type { TaskNotice } from "./rules/taskNotice.ts";
import { sendDelivery } from "./sendDelivery.ts";
import { type Delivery, type DeliveryRef, findDelivery } from "./store/deliveries.ts";

/** A job of type `notification`, rendered (contract W 5). */
export interface NotificationJob {
  /** The job task's name. */
  jobName: string;
  /** Names one try of the job: another try sends again. */
  tryName: string;
  /** `webhook_type` and the configuration object of it. */
  spec: Readonly<Record<string, unknown>>;
  title: string;
  content: string;
  render: (expression: string) => string;
}

/**
 * Sends the message of a notification job and waits for it. Run again after a crash, it sends nothing twice that was
 * recorded as sent.
 * @returns why it failed, as the job's error; empty when everything arrived
 */
export async function sendNotificationJob(notice: TaskNotice, job: NotificationJob): Promise<string> {
  const read = readValue(notifyCtl, { ...job.spec, enabled: true, notify_type: [] });
  if (read.refused !== undefined)
    return read.refused.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  const destination = destinationOf(read.data, {
    render: job.render,
    creator: notice.creator,
    stageExecutors: notice.stageExecutors,
  });
  if (destination === undefined || destination.type === "webhook")
    return "webhook_type: a notification job cannot send to webhook; use one of the chat types or mail";
  const planned = plannedDeliveries(await readied(destination), customMessage(notice, job), () => ({}));
  const recorded = {
    about: aboutTask(notice),
    jobName: job.jobName,
    event: "notification",
    place: job.tryName,
    index: 0,
  };
  const refs = await recordDeliveries(planned, { ...recorded, hookEvent: "workflow" });
  const problems = await Promise.all(refs.map(async (ref) => problemOf(await ended(ref))));
  return problems.filter((problem) => problem !== "").join("; ");
}

const lookSeconds = 5;
/** Longer than a sender that died holds a delivery. */
const maxLooks = 30;

/** Sends a delivery; one that a sender before, or the reconciler, is still at is waited for. */
async function ended(ref: DeliveryRef): Promise<Delivery | undefined> {
  for (let looks = 1; ; looks++) {
    await sendDelivery(ref);
    const delivery = (await findDelivery(ref))?.delivery;
    if (delivery?.status !== "pending" || looks >= maxLooks) return delivery;
    await new Promise((resolve) => setTimeout(resolve, lookSeconds * 1000));
  }
}

function problemOf(delivery: Delivery | undefined): string {
  if (delivery === undefined || delivery.status === "sent") return "";
  const problem = delivery.tries.at(-1)?.problem ?? "the message could not be sent";
  return `${delivery.type} to ${delivery.target}: ${problem}`;
}

/** The message of a job of type `notification`: title and content are its author's own (contract W 5). */
export function customMessage(notice: TaskNotice, { title, content }: { title: string; content: string }): Message {
  return {
    title,
    tone: "good",
    isFailure: false,
    lines: [line("", { markdown: content })],
    blocks: [],
    link: taskLink(notice),
    language: notice.language,
  };
}
