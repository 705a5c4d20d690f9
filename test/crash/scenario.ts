import type { Caller } from "../harness/boutique.ts";
import type { Answer } from "../harness/slipway.ts";
import type { Started } from "./child.ts";
import type { Outside } from "./outside.ts";

/** Whom people call while a state is prepared, and the cluster that they reach beside it. */
export type Preparing = Caller & Pick<Started, "kubeconfigPath">;

/** One accepted request, the state that it starts from, and what people do after it. */
export interface Scenario {
  name: string;
  /** How long pods take; a creation that must stay under way never sees them ready. */
  preparedPodDelayMilliseconds?: number;
  prepare(slipway: Preparing, outside: Outside): Promise<void>;
  request(slipway: Caller): Promise<Answer>;
  /** The request is refused, after it has left something to be taken back. */
  refused?: true;
  /**
   * What people do afterwards, from wherever things stand: it may be called again by whoever comes after a crash, and
   * does nothing when the request left nothing.
   */
  goOn?(slipway: Caller, outside: Outside): Promise<void>;
  /** What an undisturbed run must have come to; the others are compared with it. */
  check?(slipway: Caller): Promise<void>;
}

/** @throws Error with what was answered */
export async function succeed(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(text);
}
