import * as z from "zod";
import { readValue } from "../base/common/readValue.ts";
import type { Problem } from "../base/errors/apiError.ts";
import type { Exchange } from "./exchange.ts";

const problem = "must have 1 to 500 characters: why this cannot wait until the freeze is over";

/** For those who may change what is frozen. */
export const overrideReason = z
  .string(problem)
  .min(1, problem)
  .max(500, problem)
  .optional()
  .meta({ description: "Why a freeze is not to count; needs override_freeze, and stands in the operation log" });

/** What is wrong with the reason that a request gives for passing a freeze. */
export function overrideProblems({ route, query }: Exchange): Problem[] {
  if (route?.freeze === undefined) return [];
  const { refused = [] } = readValue(overrideReason, query.override_reason);
  return refused.map(({ message }) => ({ in: "query", path: "override_reason", problem: message }));
}
