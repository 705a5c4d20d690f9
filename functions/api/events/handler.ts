import { createApi } from "../../../shared/http/createApi.ts";
import { eventStream } from "../../../shared/http/eventStream.ts";
import { followEvents } from "./followEvents.ts";
import { eventRoutes } from "./routes.ts";

/** A console that is open holds its stream all the time; logs need places too. */
const shareOfPlaces = 0.5;

export const handler = createApi(eventRoutes, {
  followEvents: async (input) => {
    const { headers, tokenHash, query, session } = input;
    const asked = {
      ...{ ...query, after: headers["last-event-id"], tokenHash },
      // Whoever does not wait is told nothing of what is followed.
      ...(query.once && { environment: undefined, task: undefined }),
    };
    return eventStream(input, async (signal, { isReplaced }) => followEvents({ ...asked, isReplaced, signal }), {
      share: shareOfPlaces,
      session: query.once ? undefined : session,
    });
  },
});
