import { removeConnection } from "../../../shared/access/events/store/changeConnections.ts";
import { closeSocket, postToSocket } from "../../../shared/base/aws/sockets/sockets.ts";
import { log } from "../../../shared/base/settings/log.ts";

const descriptions = {
  replaced: "a newer connection of the same session took the place of this one",
  unauthorized: "the session or the API token has ended",
  expired: "there was no sign of life for eleven minutes",
} as const;

/** Why the server ends a connection; the client is told before it is closed. */
export type EndReason = keyof typeof descriptions;

/** Ends a connection; one that is gone already is no error. */
export async function endConnection(connectionId: string, reason: EndReason): Promise<void> {
  // From here on it is told of nothing, whatever becomes of its socket.
  await removeConnection(connectionId);
  try {
    await postToSocket(connectionId, JSON.stringify({ type: "end", reason, description: descriptions[reason] }));
    await closeSocket(connectionId);
  } catch (error) {
    log.warn("a change socket was not closed", { reason, internal: String(error) });
  }
}
