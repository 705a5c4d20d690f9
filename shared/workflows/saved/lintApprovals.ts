import type { Problem } from "../../base/errors/apiError.ts";
import { lintQuestion } from "../../integrations/approvals/lintQuestion.ts";
import type { LintProblem } from "../../integrations/approvals/provider.ts";
import { type GivenQuestion, givenProblems, questionOf } from "../../integrations/approvals/rules/givenQuestion.ts";
import { isVendorType, type VendorType, vendorTypes } from "../../integrations/approvals/rules/vendorApproval.ts";
import { vendorFields } from "../../integrations/approvals/rules/vendorFields.ts";
import type { NativeApproval, WorkflowDefinition, WorkflowStage } from "../definition/definition.ts";
import { namesApprovers, unsatisfiable } from "../definition/nativeApproval.ts";
import { bodyProblem, placedJobs } from "../definition/placedJobs.ts";
import { kind as approvalKind } from "../jobs/approval/kind.ts";
import { isRendered } from "../records/rules/variables.ts";
import { peopleMeant } from "./peopleMeant.ts";

/** An approval somewhere in a definition. */
interface Asked {
  /** `job ask`, for people. */
  what: string;
  /** Of its fields, as callers are told. */
  path: string;
  native?: NativeApproval | null | undefined;
  /** Of one at a chat service. */
  vendor?: { type: VendorType; given: GivenQuestion | null | undefined };
}

/**
 * What of a definition's approvals could never be decided (decisions 19.1), or not be asked at their chat services, which
 * are asked themselves: jobs and enabled approvals of stages. Ids at chat services that hold variables are looked at when a
 * task starts.
 */
export async function lintApprovals({ stages }: WorkflowDefinition): Promise<Problem[]> {
  const unknown = stages.flatMap(typeProblems);
  const problems = await Promise.all(askedIn(stages).map(problemsOf));
  return [...unknown, ...sharedProblems(stages), ...problems.flat()];
}

function typeProblems({ approval }: WorkflowStage, at: number): Problem[] {
  const type = approval?.enabled === true ? approval.type || "native" : "native";
  if (type === "native" || isVendorType(type)) return [];
  const problem = `invalid approval type ${type}: give native or one of ${vendorTypes.join(", ")}`;
  return [bodyProblem(`stages[${at}].approval.type`, problem)];
}

/** Approvers that are taken from another job are those of an approval. */
function sharedProblems(stages: readonly WorkflowStage[]): Problem[] {
  const all = placedJobs(stages);
  const approvals = all.filter(({ job }) => job.type === approvalKind.type);
  return approvals.flatMap(({ job, path }) => {
    if (job.spec?.source !== "fromjob") return [];
    const from = approvals.find((one) => one.job.name === job.spec?.job_name && one.job !== job);
    if (from !== undefined) return [];
    const problem = `job ${job.name}: name the approval job whose approvers decide`;
    return [bodyProblem(`${path}.spec.job_name`, problem)];
  });
}

function askedIn(stages: readonly WorkflowStage[]): Asked[] {
  const ofStages = stages.flatMap(({ name, approval }, at) =>
    approval?.enabled === true ? askedBy(approval, `stage ${name}`, `stages[${at}].approval`) : [],
  );
  const ofJobs = placedJobs(stages).flatMap(({ job: { name, type, spec }, path }) => {
    const read = type === approvalKind.type ? approvalKind.schema.safeParse(spec ?? {}) : undefined;
    // What is taken from another job is that one's.
    if (read?.data === undefined || read.data.source === "fromjob") return [];
    return askedBy(read.data, `job ${name}`, `${path}.spec`);
  });
  return [...ofStages, ...ofJobs];
}

type Stated = Partial<Record<(typeof vendorFields)[VendorType], GivenQuestion | null | undefined>> & {
  type?: string | null | undefined;
  native_approval?: NativeApproval | null | undefined;
};

function askedBy(stated: Stated, what: string, path: string): Asked[] {
  const type = stated.type || "native";
  if (type === "native") return [{ what, path: `${path}.native_approval`, native: stated.native_approval }];
  if (!isVendorType(type)) return [];
  const field = vendorFields[type];
  return [{ what, path: `${path}.${field}`, vendor: { type, given: stated[field] } }];
}

/** Something that is wrong with a field of an approval; "" is the approval itself. */
interface FieldProblem {
  field: string;
  problem: string;
}

async function problemsOf({ what, path, native, vendor }: Asked): Promise<Problem[]> {
  const problems = vendor === undefined ? await nativeProblems(native) : await vendorProblems(vendor);
  return problems.map(({ field, problem }) =>
    bodyProblem([path, field].filter(Boolean).join("."), `${what}: ${problem}`),
  );
}

/** The starter of a task is one more person, or one of those who are named: that is not known before. */
const starter = { uid: "the starter of the task", name: "" };

async function nativeProblems(native: Asked["native"]): Promise<FieldProblem[]> {
  const entries = native?.approve_users ?? [];
  const meant = await Promise.all(entries.map((entry) => (namesApprovers(entry) ? peopleMeant(entry, starter) : [])));
  const unknown = meant.flatMap((people, at) => {
    if (typeof people !== "string") return [];
    const field = `approve_users[${at}].${entries[at]?.type === "group" ? "group_id" : "user_id"}`;
    return [{ field, problem: `${people} does not exist` }];
  });
  if (unknown.length > 0) return unknown;
  const able = new Set(meant.flatMap((people) => (typeof people === "string" ? [] : people.map(({ uid }) => uid))));
  return [unsatisfiable(native, able.size) ?? []].flat();
}

async function vendorProblems({ type, given }: NonNullable<Asked["vendor"]>): Promise<FieldProblem[]> {
  const nobody = "approval not found: name who approves, in whose name, and through which chat app";
  if (!given) return [{ field: "", problem: nobody }];
  const question = questionOf(type, given);
  const problems: LintProblem[] = givenProblems(given, question);
  return problems.length > 0 ? problems : lintQuestion(question, isRendered);
}
