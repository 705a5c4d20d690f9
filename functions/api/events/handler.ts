import { giveTicket, ticketSeconds } from "../../../shared/access/events/store/changeTickets.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { config } from "../../../shared/base/settings/config.ts";
import { changeProtocol, ticketPrefix } from "../../../shared/http/changes/socketProtocol.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { eventStream } from "../../../shared/http/stream/eventStream.ts";
import { followEvents } from "./followEvents.ts";
import { eventRoutes } from "./routes.ts";

/** A console that is open holds its stream all the time; logs need places too. */
const shareOfPlaces = 0.5;

export const handler = createApi(eventRoutes, {
  openSocket: async ({ tokenHash, caller: { uid }, session }) => {
    const { SLIPWAY_SOCKET_ADDRESS: address } = config();
    if (address === "")
      throw new ApiError(404, "this installation has no change socket; use GET /openapi/events/stream instead");
    const ticket = await giveTicket({ tokenHash, uid, ...(session !== undefined && { session }) });
    return { address, protocols: [changeProtocol, ticketPrefix + ticket], expires_in: ticketSeconds };
  },
  followEvents: async (input) => {
    const { headers, tokenHash, query, session } = input;
    const asked = {
      ...{ ...query, after: headers["last-event-id"], tokenHash },
      // A caller who does not wait gets no news of followed services and jobs.
      ...(query.once && { environment: undefined, task: undefined }),
    };
    return eventStream(input, async (signal, { isReplaced }) => followEvents({ ...asked, isReplaced, signal }), {
      share: shareOfPlaces,
      session: query.once ? undefined : session,
    });
  },
});
