import type { OpenRound } from "./rules/openRound.ts";
import type { RoundNews } from "./rules/roundNews.ts";
import type { InstanceOwner } from "./store/approvalInstances.ts";

/** Whose approval a chat service decides: one round of it. */
export interface ApprovalRequester {
  owner: InstanceOwner;
  /** The function that looks at its instance, its event, and what its schedules are called, at most 60 characters. */
  look: { target: string; event: Readonly<Record<string, unknown>>; name: string };
  /** The current round; undefined when it has ended, or was let go. */
  read(): Promise<OpenRound | undefined>;
  /** Keeps the news by a conditional write. @returns false when the round has ended, or the news came too late */
  change(news: RoundNews): Promise<boolean>;
  /** An instance that was let go stays open at the service. */
  noteStaying(problem: string): Promise<void>;
}
