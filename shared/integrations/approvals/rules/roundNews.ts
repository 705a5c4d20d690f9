import { type ApprovalState, unasked, type VendorRound } from "./vendorApproval.ts";

/** What happens to a round of asking. `delayed` is tried again, `refused` never. */
export type RoundNews =
  | { what: "opening" }
  | { what: "opened"; code: string }
  | { what: "delayed"; problem: string }
  | { what: "refused"; problem: string }
  | { what: "heard"; state: ApprovalState };

/** Long enough for every call that opening takes. */
const busySeconds = 120;

/**
 * The round with its news; the same object when there is nothing new.
 * @param now Unix seconds
 * @returns undefined when the news comes too late: another process opens the instance, or it is open
 */
export function roundAfter(round: VendorRound, news: RoundNews, now: number): VendorRound | undefined {
  switch (news.what) {
    case "opening":
      if (round.busyUntil > now || round.code !== "") return undefined;
      return { ...round, busyUntil: now + busySeconds, tries: round.tries + 1 };
    case "opened":
      if (round.code !== "") return undefined;
      return { ...round, code: news.code, openedAt: now, busyUntil: 0, problem: "" };
    case "delayed":
      return { ...round, busyUntil: 0, problem: news.problem };
    case "refused":
      return unasked;
    case "heard": {
      const { decisions } = news.state;
      return decisions.length > round.decisions.length ? { ...round, decisions } : round;
    }
  }
}
