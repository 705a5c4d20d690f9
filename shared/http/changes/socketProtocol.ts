/** Subprotocols of a change socket: the first is what it speaks, the second carries the ticket and is never answered. */
export const changeProtocol = "slipway.changes.v1";
export const ticketPrefix = "slipway.ticket.";

/** Where one machine answers; in AWS the WebSocket API has an address of its own. */
export const localSocketPath = "/openapi/events/socket";
