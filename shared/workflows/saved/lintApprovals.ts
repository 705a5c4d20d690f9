import { lintQuestion } from "../../approvals/lintQuestion.ts";
import type { LintProblem } from "../../approvals/provider.ts";
import { type GivenQuestion, givenProblems, questionOf } from "../../approvals/rules/givenQuestion.ts";
import { isVendorType, type VendorType, vendorTypes } from "../../approvals/rules/vendorApproval.ts";
import { vendorFields } from "../../approvals/rules/vendorFields.ts";
import type { Problem } from "../../errors/apiError.ts";
import type { WorkflowDefinition, WorkflowStage } from "../definition/definition.ts";
import { approval as approvalKind } from "../definition/kinds/approval.ts";
import { isRendered } from "../records/rules/variables.ts";

/** An approval of a chat service somewhere in a definition. */
interface Asked {
  type: VendorType;
  given: GivenQuestion | null | undefined;
  /** Of its fields, as callers are told. */
  path: string;
}

/**
 * What of a definition's approvals cannot be asked at their chat services, which are asked themselves: jobs and enabled
 * approvals of stages. Ids that hold variables are looked at when a task starts.
 */
export async function lintApprovals({ stages }: WorkflowDefinition): Promise<Problem[]> {
  const unknown = stages.flatMap(typeProblems);
  const problems = await Promise.all(stages.flatMap(askedIn).map(problemsOf));
  return [...unknown, ...problems.flat()];
}

function typeProblems({ approval }: WorkflowStage, at: number): Problem[] {
  const type = approval?.enabled === true ? approval.type || "native" : "native";
  if (type === "native" || isVendorType(type)) return [];
  const problem = `invalid approval type ${type}: give native or one of ${vendorTypes.join(", ")}`;
  return [{ in: "body", path: `stages[${at}].approval.type`, problem }];
}

function askedIn({ approval, jobs }: WorkflowStage, at: number): Asked[] {
  const ofStage = approval?.enabled === true ? askedBy(approval, `stages[${at}].approval`) : [];
  const ofJobs = jobs.flatMap(({ type, spec }, place) => {
    const read = type === approvalKind.type ? approvalKind.schema.safeParse(spec ?? {}) : undefined;
    // What is taken from another job is that one's.
    if (read?.data === undefined || read.data.source === "fromjob") return [];
    return askedBy(read.data, `stages[${at}].jobs[${place}].spec`);
  });
  return [...ofStage, ...ofJobs];
}

type Stated = Partial<Record<(typeof vendorFields)[VendorType], GivenQuestion | null | undefined>>;

function askedBy(stated: Stated & { type?: string | null | undefined }, path: string): Asked[] {
  const type = stated.type ?? "";
  if (!isVendorType(type)) return [];
  return [{ type, given: stated[vendorFields[type]], path: `${path}.${vendorFields[type]}` }];
}

async function problemsOf({ type, given, path }: Asked): Promise<Problem[]> {
  if (!given) {
    const problem = "approval not found: name who approves, in whose name, and through which chat app";
    return [{ in: "body", path, problem }];
  }
  const question = questionOf(type, given);
  const problems: LintProblem[] = givenProblems(given, question);
  if (problems.length === 0) problems.push(...(await lintQuestion(question, isRendered)));
  return problems.map(({ field, problem }) => ({ in: "body", path: `${path}.${field}`, problem }));
}
