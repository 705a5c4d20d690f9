import { ApiError } from "../../../base/errors/apiError.ts";
import { type GivenQuestion, givenProblems, questionOf } from "../../../integrations/approvals/rules/givenQuestion.ts";
import { personProblems } from "../../../integrations/approvals/rules/personProblems.ts";
import type { VendorType } from "../../../integrations/approvals/rules/vendorApproval.ts";
import { vendorFields } from "../../../integrations/approvals/rules/vendorFields.ts";
import { isRendered } from "../../records/rules/variables.ts";
import type { TaskName } from "../../records/taskItems.ts";

/** What of a question cannot be asked, as far as its variables are known; each with its field. */
export function questionProblems(type: VendorType, given: GivenQuestion): string[] {
  const question = questionOf(type, given);
  const problems = [...givenProblems(given, question), ...personProblems(question, isRendered)];
  return problems.map(({ field, problem }) => `${vendorFields[type]}.${field} ${problem}`);
}

/** @param what has the problems, for people @throws ApiError 6160 */
export function requireAskable(what: string, type: VendorType, given: GivenQuestion): void {
  const problems = questionProblems(type, given);
  if (problems.length > 0) throw new ApiError(6160, `${what}: ${problems.join("; ")}`);
}

/** What those who are asked read; what is empty is left out. */
export function questionText(
  { owner, taskId, creator }: TaskName & { owner: { name: string }; creator: { name: string } },
  what: string,
  said: readonly unknown[],
): string {
  return [`Workflow ${owner.name}, task ${taskId}: ${what}`, `Started by: ${creator.name}`, ...said]
    .filter((line) => typeof line === "string" && line !== "")
    .join("\n");
}
