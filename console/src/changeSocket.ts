import { type Change, connect, pause, taken } from "@slipway/client";
import { address } from "./session.ts";

/** What is to be told besides what changes, and from where on. */
export interface Following {
  /** The id of the last change that is known. */
  after?: string | undefined;
  environment?: { project: string; env: string };
  task?: { workflow: string; id: string };
}

/** Why a socket ended: the server said so, or the connection broke or was over, as it is after two hours in AWS. */
export type SocketEnd = "replaced" | "unauthorized" | "expired" | "closed";

export interface ChangeSocket {
  /** Sets what the server reports from now on; it replaces what was followed before. */
  follow(following: Following): void;
  ended: Promise<SocketEnd>;
}

/** API Gateway closes what is idle for ten minutes; so many do not come at once. */
const pingMilliseconds = () => 270_000 + Math.random() * 60_000;
/** A server that does not answer for as long is gone. */
const pongMilliseconds = 30_000;

type Message =
  | { type: "changes"; changes: readonly Change[] }
  | { type: "pong"; id: string }
  | { type: "end"; reason: Exclude<SocketEnd, "closed"> }
  | { type: "error"; description: string };

/**
 * Opens a change socket (docs/change-socket.md) with a ticket of its own, until the signal ends it.
 * @param hear is given what changed, and the id to go on after
 * @throws SlipwayError when Slipway gives no ticket; Error when the socket does not open
 */
export async function openChangeSocket(
  token: string,
  hear: (changes: readonly Change[], after: string | undefined) => void,
  signal: AbortSignal,
): Promise<ChangeSocket> {
  const slipway = connect({ address, token, tries: 1 });
  const { address: at, protocols } = await taken(slipway.POST("/openapi/events/socket", { signal }));
  const socket = new WebSocket(at.startsWith("/") ? new URL(address + at, location.href) : at, protocols);
  const ended = Promise.withResolvers<SocketEnd>();
  let end: SocketEnd = "closed";
  const over = new AbortController();
  const answers = { heard: 0 };
  socket.onmessage = ({ data }: MessageEvent<string>) => {
    answers.heard = performance.now();
    const message = JSON.parse(data) as Message;
    if (message.type === "changes") hear(message.changes, message.changes.at(-1)?.id);
    else if (message.type === "pong") hear([], message.id);
    else if (message.type === "end") end = message.reason;
  };
  const close = (): void => socket.close();
  signal.addEventListener("abort", close);
  const opened = Promise.withResolvers<void>();
  socket.onopen = () => opened.resolve();
  socket.onclose = () => {
    signal.removeEventListener("abort", close);
    over.abort();
    opened.reject(new Error("the change socket was not opened"));
    ended.resolve(end);
  };
  if (signal.aborted) close();
  await opened.promise;
  void keepAlive(socket, answers, over.signal).catch(() => undefined);
  return {
    follow: ({ after, environment, task }) => {
      const more = {
        ...(environment && { environment: `${environment.project}/${environment.env}` }),
        ...(task && { task: `${task.workflow}/${task.id}` }),
      };
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ action: "follow", after, ...more }));
    },
    ended: ended.promise,
  };
}

async function keepAlive(socket: WebSocket, answers: { heard: number }, over: AbortSignal): Promise<void> {
  for (;;) {
    await pause(pingMilliseconds(), over);
    const sent = performance.now();
    socket.send(JSON.stringify({ action: "ping" }));
    await pause(pongMilliseconds, over);
    if (answers.heard < sent) socket.close();
  }
}
