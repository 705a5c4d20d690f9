import * as z from "zod";
import { eventIdAt, timeOfEventId } from "../../../shared/access/events/rules/eventId.ts";
import {
  type ChangeConnection,
  type Follows,
  findConnection,
  renewConnection,
} from "../../../shared/access/events/store/changeConnections.ts";
import {
  changesSince,
  keptMilliseconds,
  lateMilliseconds,
  mostEvents,
} from "../../../shared/access/events/store/changeEvents.ts";
import { recordListening } from "../../../shared/access/events/store/listeners.ts";
import { bearerOf } from "../../../shared/access/identity/session/authenticateToken.ts";
import { callerNow } from "../../../shared/access/identity/session/callerNow.ts";
import { followServicesBySocket } from "../../../shared/base/aws/sockets/sockets.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { environmentKey, taskKey } from "../../../shared/http/changes/followedKeys.ts";
import { findTaskOwner } from "../../../shared/workflows/records/taskHeads.ts";
import { endConnection } from "./endConnection.ts";
import type { SocketAnswer } from "./handler.ts";
import { isFollowed, type Look, messageText, type Pending, shownOf } from "./message.ts";

const message = z.discriminatedUnion("action", [
  z.strictObject({
    action: z.literal("follow"),
    after: z.string().max(64).optional(),
    projects: z.array(z.string().min(1).max(63)).max(100).optional(),
    environment: environmentKey.optional(),
    task: taskKey.optional(),
  }),
  z.strictObject({ action: z.literal("ping") }),
]);
type Follow = Extract<z.output<typeof message>, { action: "follow" }>;

/** What a client knows may be older than the last message by as much: those that wait for their turn are told by then. */
const heldMilliseconds = 60_000;

/** Answers a message of a client: what it is to be told of, or a sign of life. A message that is wrong is answered with what is. */
export async function answer(connectionId: string, text: string): Promise<SocketAnswer> {
  const parsed = message.safeParse(jsonOf(text));
  if (!parsed.success) return said({ type: "error", description: problemOf(parsed.error) });
  const connection = await findConnection(connectionId);
  if (connection === undefined) return ended(connectionId, "expired");
  try {
    return parsed.data.action === "ping" ? await pong(connection) : await follow(connection, parsed.data);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return ended(connectionId, "unauthorized");
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf(error: z.ZodError): string {
  const problems = error.issues.map(({ path, message: problem }) => [...path.map(String), problem].join(": "));
  return `the message cannot be used: ${problems.join("; ")}. It is JSON with action "follow" or "ping"`;
}

const said = (content: object): SocketAnswer => ({ statusCode: 200, body: JSON.stringify(content) });

async function ended(connectionId: string, reason: "expired" | "unauthorized"): Promise<SocketAnswer> {
  await endConnection(connectionId, reason);
  return { statusCode: 200 };
}

async function pong({ connectionId, tokenHash, follows }: ChangeConnection): Promise<SocketAnswer> {
  await bearerOf(tokenHash);
  if (!(await renewConnection(connectionId))) return ended(connectionId, "expired");
  if (follows !== undefined) await recordListening(follows.task);
  return said({ type: "pong", id: eventIdAt(Date.now() - heldMilliseconds) });
}

async function follow({ connectionId, tokenHash }: ChangeConnection, asked: Follow): Promise<SocketAnswer> {
  const { after, projects, environment, task } = asked;
  const [caller, owner] = await Promise.all([
    callerNow(tokenHash),
    task === undefined ? undefined : findTaskOwner(task.key),
  ]);
  const follows: Follows = {
    ...(projects !== undefined && { projects }),
    ...(environment !== undefined && { environment }),
    ...(task !== undefined &&
      owner !== undefined && { task: { ...task, ownerId: owner.id, projectKey: owner.projectKey } }),
  };
  // A writer that comes after this sees that a client listens; what was written before is read below.
  const [isThere] = await Promise.all([renewConnection(connectionId, follows), recordListening(follows.task)]);
  if (!isThere) return ended(connectionId, "expired");
  const isWatched = await followServicesBySocket(connectionId, environment && { tokenHash, environment });
  const now = Date.now();
  const pending = await missed(after, follows, now);
  if (task !== undefined) pending.looks.push(jobsOf(task, follows));
  if (environment !== undefined && !isWatched) pending.looks.push(servicesLost(environment));
  return {
    statusCode: 200,
    body: messageText([...shownOf(pending, caller, now), { id: eventIdAt(now), type: "current" }], now),
  };
}

/** What changed since the client was told last, or in the last seconds. @param now Unix milliseconds */
async function missed(after: string | undefined, follows: Follows, now: number): Promise<Pending> {
  const last = after === undefined ? now : timeOfEventId(after);
  const isKept = last !== undefined && last >= now - keptMilliseconds && last <= now + lateMilliseconds;
  if (!isKept) return { events: [], looks: [], isReset: true };
  const read = await changesSince(last - lateMilliseconds, { consistent: true });
  const events = read.filter((event) => isFollowed(event, follows));
  return { events, looks: [], isReset: read.length >= mostEvents };
}

function jobsOf({ key, taskId }: NonNullable<Follow["task"]>, { task }: Follows): Look {
  const shown = { type: "jobs", key, task_id: taskId } as const;
  if (task === undefined) return { shown: { ...shown, state: "lost" } };
  return { shown: { ...shown, state: "followed" }, record: { kind: "task", projectKey: task.projectKey, key } };
}

/** Changes of services are not told; who shows them asks. */
function servicesLost({ projectKey, envKey }: NonNullable<Follow["environment"]>): Look {
  return { shown: { type: "services", project_key: projectKey, key: envKey, state: "lost" } };
}
