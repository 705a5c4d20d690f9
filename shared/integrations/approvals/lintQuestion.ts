import { findApprovalApp } from "./findApprovalApp.ts";
import type { LintProblem } from "./provider.ts";
import { approvalProviders } from "./providers.ts";
import { personProblems } from "./rules/personProblems.ts";
import { type VendorQuestion, vendorNames } from "./rules/vendorApproval.ts";
import { VendorRefused, VendorUnavailable } from "./vendorErrors.ts";

/**
 * What of a question cannot be asked through its chat app; the service itself says what its form takes.
 * @param isKnown whether the id of a person is known already
 */
export async function lintQuestion(
  question: VendorQuestion,
  isKnown?: (id: string) => boolean,
): Promise<LintProblem[]> {
  const { type, appId, nodes } = question;
  const app = await findApprovalApp(appId);
  if (app?.type !== type)
    return [
      { field: "approval_id", problem: `no chat app of the settings takes approvals of type ${type} under this id` },
    ];
  const ofPeople = personProblems(question, isKnown);
  if (ofPeople.length > 0) return ofPeople;
  try {
    return await approvalProviders[type].lint(app, { nodes });
  } catch (error) {
    if (!(error instanceof VendorRefused || error instanceof VendorUnavailable)) throw error;
    return [{ field: "approval_id", problem: `${vendorNames[type]} cannot be asked: ${error.message}` }];
  }
}
