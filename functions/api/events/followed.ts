import { eventIdAt } from "../../../shared/access/events/rules/eventId.ts";
import type { ChangeEvent } from "../../../shared/access/events/store/changeEvents.ts";
import type { LogPiece } from "../../../shared/base/common/timedLines.ts";
import type { FollowedState } from "../../../shared/environments/apply/followServices.ts";
import { mayHear } from "../../../shared/http/changes/mayHear.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { message } from "./message.ts";

/** One record of which a stream tells more than that it changed. */
export class Followed {
  readonly #shown: object;
  readonly #record: ChangeEvent | undefined;
  #isLost = false;

  /**
   * @param shown what names it in messages
   * @param record what the caller has to be allowed to hear of; undefined when there is none
   */
  constructor(shown: object, record: Omit<ChangeEvent, "name" | "state"> | undefined) {
    this.#shown = shown;
    this.#record = record && { ...record, name: "", state: "" };
  }

  /** What is told of news of a moment (Unix milliseconds); that it is lost is told once. */
  tell(news: FollowedState | undefined, caller: Caller, time: number): LogPiece[] {
    if (news === undefined) return [];
    const state = this.#record !== undefined && mayHear(caller, this.#record) ? news : "lost";
    if (state === "lost" && this.#isLost) return [];
    this.#isLost = state === "lost";
    return [message(eventIdAt(time), { ...this.#shown, state })];
  }
}
