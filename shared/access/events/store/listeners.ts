import { setTimeout as pause } from "node:timers/promises";
import { invokeLater } from "../../../base/aws/functions/invokeLater.ts";
import { log } from "../../../base/settings/log.ts";
import { absent, either, less } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { changeSocketKeys } from "../../../base/store/keys/changeSocketKeys.ts";
import type { Key } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { update } from "../../../base/store/writes.ts";

/** The function that tells connections, by its name in every installation. */
export const changeSocketFunction = "change-socket";

/** Seconds after its last sign of life for which a connection counts: its client sends one every five minutes. */
export const listeningSeconds = 660;
/** A time that is so near to what it would become is left as it is. */
const coarseSeconds = 60;
/** The writer of a change waits no longer for the call by which it is told: it is told at the next one, or asked for. */
const longestMilliseconds = 2000;

interface Listening {
  /** Unix seconds. */
  until: number;
}

/** Notes that a client follows changes, and the jobs of `task` too. At most one write a minute changes anything. */
export async function recordListening(task?: { ownerId: string; taskId: number }): Promise<void> {
  await Promise.all([
    noteUntil(changeSocketKeys.listening),
    ...(task === undefined ? [] : [noteUntil(changeSocketKeys.listeningToTask(task.ownerId, task.taskId))]),
  ]);
}

async function noteUntil(key: Key): Promise<void> {
  const until = nowSeconds() + listeningSeconds;
  const set = { type: "change-listening", until, ttl: until + 3600 };
  await table().updateOne(update(key, { set }, either(absent("until"), less("until", until - coarseSeconds))));
}

/** What a write that tells of a change does afterwards: one read of 0.5 to 1 unit, and an event if a client listens. */
export async function wakeTeller(): Promise<void> {
  // A client that began to listen before the write was done is seen; one that begins later reads what was written.
  await unlessLate(async () => {
    if (await isListening(changeSocketKeys.listening, true)) await invokeLater(changeSocketFunction, { tell: {} });
  });
}

/** The same for the jobs of a task, whose changes are no events. */
export async function wakeTellerOfTask(ownerId: string, taskId: number): Promise<void> {
  await unlessLate(async () => {
    if (await isListening(changeSocketKeys.listeningToTask(ownerId, taskId), false))
      await invokeLater(changeSocketFunction, { tell: { tasks: [{ ownerId, taskId }] } });
  });
}

async function isListening(key: Key, consistent: boolean): Promise<boolean> {
  const found = await table().get<Listening>(key, { consistent });
  return found !== undefined && found.until > nowSeconds();
}

/** A change is done whether it is told or not, so nothing that fails here may fail it. */
async function unlessLate(work: () => Promise<void>): Promise<void> {
  const late = new AbortController();
  const telling = work().catch((error: unknown) => log.error("a change is not told", { internal: String(error) }));
  await Promise.race([telling, pause(longestMilliseconds, undefined, { signal: late.signal }).catch(() => undefined)]);
  late.abort();
}
