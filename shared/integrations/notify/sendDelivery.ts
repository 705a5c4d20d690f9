import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { unseal } from "../../base/aws/secrets/sealedSecret.ts";
import { parsedJson } from "../../base/common/parsedJson.ts";
import { log } from "../../base/settings/log.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { sendAsFeishuApp } from "./client/feishuApp.ts";
import { NotDelivered, undeliverable } from "./client/notDelivered.ts";
import { postHook } from "./client/postHook.ts";
import { sendCommitStatus } from "./client/sendCommitStatus.ts";
import { isNext, nextAfter } from "./commitOrder.ts";
import { secretOwner } from "./identity.ts";
import type { Addressed, Channel, Part } from "./rules/channels/channel.ts";
import { channels, isWebhookType } from "./rules/channels/channels.ts";
import { feishuAppOf, mailServer, systemHookSecrets } from "./settings.ts";
import {
  type Delivery,
  type DeliveryRef,
  endDelivery,
  findDelivery,
  isHeld,
  type ReadDelivery,
  recordDelivery,
} from "./store/deliveries.ts";

/** Seconds before the second and the third try. */
const pausesSeconds = [1, 4];
/**
 * Before the further tries of a commit status: people cannot set it in our place, and a pull request may wait for it.
 * No process waits through these pauses: the delivery is due again afterwards.
 */
const longPausesSeconds = [60, 600, 3600];

function pausesOf({ type }: Delivery): readonly number[] {
  return type === "commit-status" ? [...pausesSeconds, ...longPausesSeconds] : pausesSeconds;
}

type Secrets = Addressed["secrets"];

/**
 * Sends a recorded delivery, in up to three tries, or six to a commit, each recorded before it begins. What was sent is
 * not sent again; a delivery that has ended, that another process is sending, or that others precede, is left alone.
 * @param sendersEndedBefore Unix seconds: processes that took it before then have ended
 * @param givingUp is called before it is given up, and again when this process dies in between
 * @returns how it ended; undefined when it was left alone
 */
export async function sendDelivery(
  ref: DeliveryRef,
  sendersEndedBefore?: number,
  givingUp?: (delivery: Delivery) => Promise<void>,
): Promise<Delivery["status"] | undefined> {
  const giveUp = async (read: ReadDelivery, changes: Partial<Delivery>) => {
    await givingUp?.({ ...read.delivery, ...changes });
    return end(read, "failed", changes);
  };
  const read = await findDelivery(ref);
  if (read === undefined || read.delivery.status !== "pending") return undefined;
  if (isHeld(read.heldUntil, sendersEndedBefore)) return undefined;
  if (read.delivery.type !== "commit-status") return sendRead(read, giveUp);
  if (!(await isNext(read.delivery, sendersEndedBefore))) return undefined;
  const ended = await sendRead(read, giveUp);
  // Also when this one is to be tried again later: what came meanwhile goes in its place.
  const next = await nextAfter(read.delivery);
  if (next !== undefined) await sendDelivery(next, sendersEndedBefore, givingUp);
  return ended;
}

type GivingUp = (read: ReadDelivery, changes: Partial<Delivery>) => Promise<Delivery["status"] | undefined>;

async function sendRead(found: ReadDelivery, giveUp: GivingUp): Promise<Delivery["status"] | undefined> {
  let read: ReadDelivery | undefined = found;
  const pauses = pausesOf(found.delivery);
  const content: Part[] = JSON.parse(await readStoredText(read.delivery.content));
  for (;;) {
    const { tries } = read.delivery;
    if (tries.length > pauses.length) return giveUp(read, {});
    read = await recordDelivery(read, { tries: [...tries, { at: nowSeconds() }] });
    if (read === undefined) return undefined;
    const outcome = await tryOnce(read, content);
    if (outcome === undefined) return undefined;
    const concluded = { ...outcome.changes, tries: withProblem(outcome.read.delivery.tries, outcome.problem) };
    if (outcome.problem === "") return end(outcome.read, "sent", concluded);
    const pause = pauses[tries.length];
    if (!outcome.isWorthAnother || pause === undefined) return giveUp(outcome.read, concluded);
    const isLong = longPausesSeconds.includes(pause);
    read = await recordDelivery(outcome.read, concluded, isLong ? pause : undefined);
    if (read === undefined || isLong) return undefined;
    await new Promise((resolve) => setTimeout(resolve, pause * 1000));
  }
}

interface Outcome {
  read: ReadDelivery;
  /** Empty: everything arrived. */
  problem: string;
  isWorthAnother: boolean;
  /** What is still to be written. */
  changes: Partial<Delivery>;
}

/** Sends what is left of a delivery. @returns undefined when another process continued with it */
async function tryOnce(before: ReadDelivery, content: readonly Part[]): Promise<Outcome | undefined> {
  let read = before;
  try {
    if (content.length === 0) throw undeliverable("there is nobody to send it to");
    const secrets = await secretsOf(read.delivery);
    for (let at = read.delivery.partsSent; at < content.length; at++) {
      const kept = at === read.delivery.partsSent ? read : await recordDelivery(read, { partsSent: at });
      if (kept === undefined) return undefined;
      read = kept;
      await send(content[at] as Part, at, read.delivery, secrets);
    }
    return { read, problem: "", isWorthAnother: false, changes: { partsSent: content.length } };
  } catch (error) {
    if (error instanceof NotDelivered)
      return { read, problem: error.message, isWorthAnother: error.isWorthAnother, changes: {} };
    log.error("delivery failed", { ...named(read), internal: String(error) });
    return { read, problem: "the message could not be sent", isWorthAnother: true, changes: {} };
  }
}

function withProblem(tries: Delivery["tries"], problem: string): Delivery["tries"] {
  return tries.map((one, at) => (at === tries.length - 1 ? { ...one, problem } : one));
}

async function end(
  read: ReadDelivery,
  status: "sent" | "failed",
  changes: Partial<Delivery>,
): Promise<Delivery["status"] | undefined> {
  if (!(await endDelivery(read, { ...changes, status }))) return undefined;
  if (status === "failed") log.warn("notification not delivered", named(read));
  return status;
}

function named({ delivery: { taskRecordId, deliveryId, type, event, tries } }: ReadDelivery) {
  return { taskRecordId, deliveryId, type, event, tries: tries.length };
}

async function secretsOf(delivery: Delivery): Promise<Secrets> {
  const isSystemHook = delivery.index === -1 && delivery.type !== "commit-status";
  if (delivery.secrets === undefined) return isSystemHook ? systemHookSecrets() : {};
  return JSON.parse(await unseal(delivery.secrets, secretOwner(delivery)));
}

async function send(part: Part, at: number, delivery: Delivery, secrets: Secrets): Promise<void> {
  if (part.via === "mail") {
    const messageId = `<${delivery.deliveryId}.${delivery.taskRecordId}@slipway>`;
    // Few installations send mail, and its library is large.
    const { sendMail } = await import("./client/sendMail.ts");
    return sendMail(await mailServer(), { to: part.to, ...part.mail, messageId });
  }
  if (part.via === "commit-status") return sendCommitStatus(part.status);
  if (part.via === "app") {
    const { receiver, kind, content } = part;
    const app = await feishuAppOf(secrets.appId ?? "");
    return sendAsFeishuApp(app, { receiver, kind, content, uuid: `${delivery.deliveryId}-${at}` });
  }
  if ((secrets.address ?? "") === "") throw undeliverable("no address is set");
  const { type, eventUuid, webhookUuid, instance, hookEvent: event } = delivery;
  const answer = await postHook({
    ...{ address: secrets.address ?? "", token: secrets.token ?? "", signingKey: secrets.signingKey ?? "" },
    ...{ body: part.body, kind: type === "webhook" ? "webhook" : "plain", instance, event, eventUuid, webhookUuid },
  });
  const problem = answerProblem(type, answer);
  if (problem !== undefined) throw new NotDelivered(problem, { isWorthAnother: true });
}

/**
 * Why an answer of a hook means that the message did not arrive; undefined when it did (contract W 15.3, 15.5, 15.6). Chat
 * services answer 200 with a code of their own. Redirects are not followed.
 */
export function answerProblem(
  type: Delivery["type"],
  { status, body }: { status: number; body: string },
): string | undefined {
  if (type === "callback" && status !== 200) return `answered HTTP ${status}; only 200 counts`;
  if (status >= 400) return `answered HTTP ${status}`;
  if (status >= 300) return `answered HTTP ${status}; redirects are not followed, give the address itself`;
  return isWebhookType(type) ? codeProblem(channels[type], body) : undefined;
}

function codeProblem({ answerCode, mustHaveCode }: Channel, body: string): string | undefined {
  const { code, text } = answerCode?.(objectOf(body)) ?? { code: undefined, text: "" };
  if (code === 0 || (code === undefined && !mustHaveCode)) return undefined;
  if (code === undefined) return "answered without errcode 0";
  return text === "" ? `answered code ${code}` : `answered code ${code}: ${text.slice(0, 200)}`;
}

function objectOf(body: string): Record<string, unknown> {
  const value = parsedJson(body);
  return typeof value === "object" && value !== null ? { ...value } : {};
}
