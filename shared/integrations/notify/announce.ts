import { findUsers, findUsersByAccount, type User } from "../../access/identity/store/users.ts";
import { usersOfGroup } from "../../access/identity/store/usersOfGroup.ts";
import { log } from "../../base/settings/log.ts";
import type { SystemHookEvent } from "../rules/systemHookEvents.ts";
import { systemHookId, systemHooks } from "../store/systemHooks.ts";
import { aboutTask, recordDeliveries } from "./recordDeliveries.ts";
import type { Destination, ReadyDestination } from "./rules/channels/channels.ts";
import type { MailTarget } from "./rules/channels/mail.ts";
import { destinationOf } from "./rules/destination.ts";
import { firingCtls, type Happening, type NoticeEvent, systemHookEventOf } from "./rules/firingCtls.ts";
import { type NotifyCtl, readNotifyCtls } from "./rules/notifyCtl.ts";
import { plannedDeliveries } from "./rules/plannedDeliveries.ts";
import { taskMessage } from "./rules/taskMessage.ts";
import type { TaskNotice } from "./rules/taskNotice.ts";
import { webhookPayload } from "./rules/webhookPayload.ts";
import { startNotifier } from "./startNotifier.ts";
import type { DeliveryRef } from "./store/deliveries.ts";

export interface Announcement {
  /** Called only when there is a recipient: making it reads what it is about, and most events have no recipient. */
  notice: () => Promise<TaskNotice>;
  event: NoticeEvent;
  level: Happening["level"];
  /** As they are stored: the task's copy, or before an approval the workflow's current ones (contract W 15.1). */
  ctls: readonly unknown[];
  /** Told whatever their words are; their places follow those of `ctls`. */
  alsoTo?: readonly unknown[];
  /** What tells two events of one kind apart: the stage or job that waits. */
  place?: string;
  /** How the task with the number before ended, when this one ended; undefined when there is none. */
  statusBefore?: string | undefined;
  /** Renders a dynamic recipient; an unknown variable is empty. */
  render: (expression: string) => string;
}

/**
 * Tells everybody who asked to be told: records a delivery for each and has them sent. Repeating it, after a crash, is
 * no second message. What goes wrong with one of them is logged, and changes nothing else (contract W 15.1). At the
 * level `job` the notice is about that job, and the settings are the job's.
 */
export async function announce(announcement: Announcement): Promise<void> {
  const { event, level, statusBefore } = announcement;
  const { ctls, alsoTo = [] } = announcement;
  const others = readNotifyCtls(alsoTo).map((ctl, at) => ({ ctl, index: ctls.length + at }));
  const firing = [...firingCtls(readNotifyCtls(ctls), { event, level, statusBefore }), ...others];
  const hook = level === "task" ? await systemHookOf(event) : undefined;
  if (firing.length === 0 && hook === undefined) return;
  const notice = await announcement.notice();
  const recording = [
    ...firing.map(({ ctl, index }) => recordSetting(announcement, notice, ctl, index)),
    ...(hook === undefined ? [] : [recordSystemHook(hook, notice, event)]),
  ];
  const recorded = await Promise.allSettled(recording);
  for (const one of recorded)
    if (one.status === "rejected")
      log.error("notification not recorded", { ...named(notice, event), internal: String(one.reason) });
  await startNotifier(recorded.flatMap((one) => (one.status === "fulfilled" ? one.value : [])));
}

function named({ taskRecordId, taskId, workflow }: TaskNotice, event: string) {
  return { taskRecordId, taskId, workflowKey: workflow.key, event };
}

async function recordSetting(
  { event, place = "", render }: Announcement,
  notice: TaskNotice,
  ctl: NotifyCtl,
  index: number,
): Promise<DeliveryRef[]> {
  const destination = destinationOf(ctl, { render, creator: notice.creator, stageExecutors: notice.stageExecutors });
  if (destination === undefined) return [];
  const planned = plannedDeliveries(await readied(destination), taskMessage(notice, event), () =>
    webhookPayload(notice, event, "workflow"),
  );
  const jobName = notice.job?.name ?? "";
  return recordDeliveries(planned, { about: aboutTask(notice), jobName, event, place, index, hookEvent: "workflow" });
}

/** A destination whose people are looked up. */
export async function readied(destination: Destination): Promise<ReadyDestination> {
  if (destination.type !== "mail") return destination;
  return { type: "mail", addresses: await mailAddresses(destination.targets) };
}

interface FiringHook {
  hookEvent: SystemHookEvent;
  address: string;
}

/** The system-wide hook, if it wants to know. */
async function systemHookOf(event: NoticeEvent): Promise<FiringHook | undefined> {
  const hookEvent = systemHookEventOf(event);
  if (hookEvent === undefined) return undefined;
  try {
    const { enabled, events, address } = (await systemHooks.find(systemHookId))?.shown ?? { enabled: false };
    return enabled && events.includes(hookEvent) ? { hookEvent, address } : undefined;
  } catch (error) {
    log.error("system hook not read", { event, internal: String(error) });
    return undefined;
  }
}

/** Its address and secret are read when it is sent: the settings of that moment count (contract W 15.7). */
function recordSystemHook(
  { hookEvent, address }: FiringHook,
  notice: TaskNotice,
  event: NoticeEvent,
): Promise<DeliveryRef[]> {
  const body = JSON.stringify(webhookPayload(notice, event, hookEvent));
  const target = URL.parse(address)?.host ?? "no address";
  return recordDeliveries([{ type: "webhook", target, parts: [{ via: "hook", body }], secrets: {} }], {
    ...{ about: aboutTask(notice), jobName: "", event, index: -1, hookEvent },
  });
}

/** Distinct addresses of the targets (contract W 15.5); users without an address, and those who are gone, have none. */
async function mailAddresses(targets: readonly MailTarget[]): Promise<string[]> {
  const found = await Promise.all(targets.map(addressesOf));
  const byText = new Map(found.flat().map((address) => [address.toLowerCase(), address]));
  return [...byText.values()].filter(isAddress);
}

/** Nothing that could become two addresses, or a line of its own, in a mail. */
function isAddress(text: string): boolean {
  return /^[^\s<>@,;:"()\\]+@[^\s<>@,;:"()\\]+$/.test(text);
}

async function addressesOf(target: MailTarget): Promise<string[]> {
  if (target.kind === "address") return [target.address.trim()];
  if (target.kind === "user") return mailsOf(await usersNamed(target));
  const uids = (await usersOfGroup(target.groupId)).map(({ uid }) => uid);
  return mailsOf(await findUsers(uids));
}

/** By id; a variable may name an account instead. */
async function usersNamed({ userId, account }: Extract<MailTarget, { kind: "user" }>): Promise<User[]> {
  const users = userId === "" ? [] : await findUsers([userId]);
  if (users.length > 0 || account === "") return users;
  const [named] = await findUsersByAccount(account);
  return named === undefined ? [] : findUsers([named.uid]);
}

function mailsOf(users: readonly User[]): string[] {
  return users.map(({ email }) => email.trim());
}
