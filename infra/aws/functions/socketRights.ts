import type { ChangeSockets } from "../websocket.ts";
import { allow, type Grant } from "./rights.ts";

/** What functions may do with change sockets. */
export type SocketRight = "openSockets" | "postToSockets";

/** @param sockets undefined where the installation has none: functions are told of none then */
export function socketRights(sockets: ChangeSockets | undefined): Readonly<Record<SocketRight, Grant>> {
  if (sockets === undefined) {
    const none = { environment: {}, statements: [] };
    return { openSockets: none, postToSockets: none };
  }
  return {
    openSockets: { environment: { SLIPWAY_SOCKET_ADDRESS: sockets.address }, statements: [] },
    postToSockets: {
      environment: { SLIPWAY_SOCKET_CONNECTIONS: sockets.connections },
      statements: [allow("PostToSockets", sockets.connectionArns, ["execute-api:ManageConnections"])],
      wildcards: sockets.wildcards,
    },
  };
}
