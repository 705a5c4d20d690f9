import type { ApprovalInstance } from "../provider.ts";
import type { VendorQuestion, VendorRound } from "./vendorApproval.ts";

/** A round of asking that is not decided yet. */
export interface OpenRound {
  question: VendorQuestion;
  round: VendorRound;
  /** Names it at the chat service: the same for every try to open it. Letters, digits and hyphens, at most 64. */
  key: string;
  /** What those who are asked read. */
  text: string;
  /** Unix seconds before which no try to open it was made. */
  since: number;
}

/** An instance that is let go. */
export interface LeftInstance extends ApprovalInstance {
  /** Of the record of the chat app. */
  appId: string;
  /** Unix seconds until which a process may be opening it, unseen; 0: no process is. */
  busyUntil: number;
}

/** What is to be taken back of a round that is let go. */
export function leaving({ question, round, key, since }: Omit<OpenRound, "text">): LeftInstance {
  const { code, busyUntil } = round;
  return { appId: question.appId, key, code, initiator: question.initiator.id, since, busyUntil };
}
