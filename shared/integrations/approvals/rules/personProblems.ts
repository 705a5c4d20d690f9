import type { LintProblem } from "../provider.ts";
import type { VendorQuestion, VendorType } from "./vendorApproval.ts";

/** What ids of people look like, where the service says so. */
const idForms: Partial<Record<VendorType, { begins: string; wanted: string }>> = {
  lark: { begins: "ou_", wanted: "is not an open_id, which begins with ou_" },
  lark_intl: { begins: "ou_", wanted: "is not an open_id, which begins with ou_" },
};

/** Ids that the service cannot know anybody by. @param isKnown whether an id is what will be asked for */
export function personProblems(
  { type, initiator, nodes }: VendorQuestion,
  isKnown: (id: string) => boolean = () => true,
): LintProblem[] {
  const form = idForms[type];
  if (form === undefined) return [];
  const check = (id: string, field: LintProblem["field"]): LintProblem[] =>
    !isKnown(id) || id.startsWith(form.begins) ? [] : [{ field, problem: `${id} ${form.wanted}` }];
  return [
    ...check(initiator.id, "default_approval_initiator"),
    ...nodes.flatMap(({ people }, at) =>
      people.flatMap(({ id }, place) => check(id, `approval_nodes[${at}].approve_users[${place}].id`)),
    ),
  ];
}
