import type { LintProblem } from "../provider.ts";

interface FormField {
  name: string;
  type: string;
  required: boolean;
  isText: boolean;
}

/** Why a form cannot be filled in with texts alone. */
export function formProblems(fields: readonly FormField[]): LintProblem[] {
  const problems = fields
    .filter(({ required, isText }) => required && !isText)
    .map(({ name, type }): LintProblem => {
      const problem = `the form requires ${name} of type ${type}; only texts can be filled in, make it optional`;
      return { field: "approval_id", problem };
    });
  if (!fields.some(({ isText }) => isText))
    problems.push({ field: "approval_id", problem: "the form has no text that says what is approved" });
  return problems;
}
