import { ApiError } from "../../base/errors/apiError.ts";
import { config } from "../../base/settings/config.ts";
import { holdsStreamPlace, leaveStreamPlace, takeStreamPlace } from "../../base/store/openStreams.ts";

const retryAfterSeconds = 5;
/** Longer than a stream lasts, so that it never loses its place. */
const marginSeconds = 60;
/** As long as Lambda runs, where streams have no end of their own. */
const longestSeconds = 900;

/** A stream among those that are open. */
export interface OpenPlace {
  /** Ends the counting; may be called again. */
  leave(): Promise<void>;
  /** Whether a newer stream of the same session has taken the place. */
  isReplaced(): Promise<boolean>;
}

/**
 * Counts a stream among those that are open at once, where there is a limit: in AWS each of them holds one of the
 * account's concurrent executions, and all others need some too.
 * @param share of all places that streams of its kind may take, so that they leave some to others; above 0, at most 1
 * @param session that has one stream of this kind; counted where there is no limit, too
 * @throws ApiError 429 with `Retry-After` when there are as many as may be
 */
export async function openStreamPlace(share: number, session?: string): Promise<OpenPlace> {
  const { SLIPWAY_OPEN_STREAMS: all, SLIPWAY_STREAM_SECONDS: seconds } = config();
  if (all === 0 && session === undefined) return { leave: async () => {}, isReplaced: async () => false };
  const most = all === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(all * share));
  const place = await takeStreamPlace(most, (seconds || longestSeconds) + marginSeconds, session);
  if (place === undefined)
    throw new ApiError(429, `${most} streams are open, which is the limit; try again in ${retryAfterSeconds} seconds`, {
      retryAfterSeconds,
    });
  let leaving: Promise<void> | undefined;
  return {
    leave: () => {
      leaving ??= leaveStreamPlace(place);
      return leaving;
    },
    isReplaced: async () => leaving === undefined && !(await holdsStreamPlace(place)),
  };
}
