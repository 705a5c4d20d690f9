import {
  type ChangeConnection,
  connectionBegins,
  openConnections,
} from "../../../shared/access/events/store/changeConnections.ts";
import { findTicket } from "../../../shared/access/events/store/changeTickets.ts";
import { bearerOf } from "../../../shared/access/identity/session/authenticateToken.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { table } from "../../../shared/base/store/table.ts";
import { tryWrite } from "../../../shared/base/store/tryWrite.ts";
import { changeProtocol, ticketPrefix } from "../../../shared/http/changes/socketProtocol.ts";
import { endConnection } from "./endConnection.ts";
import type { SocketAnswer } from "./handler.ts";

/** Of all people together: one read finds them all. */
const mostConnections = 1000;
/** Of one person: as many as there can be sessions. */
const mostOfPerson = 20;

/**
 * Lets a client in that offers a ticket which was given out and not used. A session has one connection: the former is ended
 * (decisions 18.5). @returns 200 with the protocol that is spoken, or 400, 401 or 429
 */
export async function admit(connectionId: string, headers: Readonly<Record<string, string>>): Promise<SocketAnswer> {
  const protocols = offered(headers);
  if (!protocols.includes(changeProtocol)) return refused(400, `the subprotocol ${changeProtocol} is not offered`);
  const text = protocols.find((protocol) => protocol.startsWith(ticketPrefix))?.slice(ticketPrefix.length) ?? "";
  const found = text === "" ? undefined : await findTicket(text);
  if (found === undefined) return refused(401, "the ticket was used, has expired, or was never given out");
  const { tokenHash, uid, session } = found.ticket;
  const [open, isBearer] = await Promise.all([openConnections({ consistent: false }), bears(tokenHash)]);
  if (!isBearer) return refused(401, "the session or the API token has ended");
  const former = open.filter((one) => session !== undefined && one.session === session);
  const problem = fullness(open, uid, former.length);
  if (problem !== undefined) return refused(429, problem);
  const begins = connectionBegins({ connectionId, tokenHash, uid, ...(session !== undefined && { session }) });
  if (!(await tryWrite(table().write(found.use, begins)))) return refused(401, "the ticket was used");
  await Promise.all(former.map((one) => endConnection(one.connectionId, "replaced")));
  return { statusCode: 200, headers: { "Sec-WebSocket-Protocol": changeProtocol } };
}

/** Header names come as the client wrote them. */
function offered(headers: Readonly<Record<string, string>>): string[] {
  const [, value = ""] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === "sec-websocket-protocol") ?? [];
  return value.split(",").map((protocol) => protocol.trim());
}

async function bears(tokenHash: string): Promise<boolean> {
  return bearerOf(tokenHash).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return false;
      throw error;
    },
  );
}

/** Why there is no place for one more, if there is none. @param ending how many end when it begins */
function fullness(open: readonly ChangeConnection[], uid: string, ending: number): string | undefined {
  const own = open.filter((one) => one.uid === uid).length;
  if (own - ending >= mostOfPerson) return `${mostOfPerson} connections of this person are open, which is the limit`;
  if (open.length - ending >= mostConnections) return `${mostConnections} connections are open, which is the limit`;
  return undefined;
}

function refused(statusCode: number, body: string): SocketAnswer {
  return { statusCode, body };
}
