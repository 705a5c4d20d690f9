import * as z from "zod";
import { removeConnection } from "../../../shared/access/events/store/changeConnections.ts";
import { admit } from "./admit.ts";
import { answer } from "./answer.ts";
import { tell } from "./tell.ts";

const socketEvent = z.object({
  requestContext: z.object({ routeKey: z.string(), connectionId: z.string() }),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.string().optional(),
});
const tellEvent = z.object({
  tell: z.object({ tasks: z.array(z.object({ ownerId: z.string(), taskId: z.int() })).optional() }),
});

/** What API Gateway makes an answer of; `body` is sent to the client, but not for `$connect`. */
export interface SocketAnswer {
  statusCode: number;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/**
 * Change sockets: the routes of the WebSocket API, and telling connections what changed, which every write of a change asks
 * for (docs/decisions/0207). Each may be called twice with the same.
 */
export async function handler(
  event: unknown,
  { signal }: { signal?: AbortSignal } = {},
): Promise<SocketAnswer | undefined> {
  if (typeof event === "object" && event !== null && "tell" in event) {
    const { tasks = [] } = tellEvent.parse(event).tell;
    await tell(tasks, signal);
    return undefined;
  }
  const { requestContext, headers = {}, body = "" } = socketEvent.parse(event);
  const { routeKey, connectionId } = requestContext;
  if (routeKey === "$connect") return admit(connectionId, headers);
  if (routeKey !== "$disconnect") return answer(connectionId, body);
  await removeConnection(connectionId);
  return { statusCode: 200 };
}
