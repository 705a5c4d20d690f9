import { allUsersGroupId } from "../../../../shared/access/identity/rules/actions.ts";
import { findGroup } from "../../../../shared/access/identity/store/groups.ts";
import { findUser } from "../../../../shared/access/identity/store/users.ts";
import { badRequest, type Problem } from "../../../../shared/base/errors/apiError.ts";
import { lintQuestion } from "../../../../shared/integrations/approvals/lintQuestion.ts";
import { givenProblems, questionOf } from "../../../../shared/integrations/approvals/rules/givenQuestion.ts";
import {
  isVendorType,
  unasked,
  type VendorType,
  vendorNames,
  vendorTypes,
} from "../../../../shared/integrations/approvals/rules/vendorApproval.ts";
import { vendorFields } from "../../../../shared/integrations/approvals/rules/vendorFields.ts";
import { approvalPeople } from "../../../../shared/releaseplans/approvalPeople.ts";
import type { NamedApprover, PlanApproval } from "../../../../shared/releaseplans/rules/plan.ts";
import type { ApprovalInput } from "./approvalSchemas.ts";

const mostApprovers = 100;

type Entry = NonNullable<NonNullable<ApprovalInput["native_approval"]>["approve_users"]>[number];

/**
 * An approval as it is kept; whom it names is looked up where it is enabled (contract D 2.8).
 * @throws ApiError 400 naming what is wrong with it
 */
export async function readApproval(input: ApprovalInput | null | undefined): Promise<PlanApproval | null> {
  if (input === null || input === undefined) return null;
  const { type, enabled, native_approval: native } = input;
  if (isVendorType(type)) return readVendorApproval(input, type);
  if (type !== "native" && type !== "")
    throw lint("type", `invalid approval type ${type}: give native or one of ${vendorTypes.join(", ")}`);
  if (enabled && !native) throw refused("native_approval", "approval not found: name who approves");
  const needed = native?.needed_approvers ?? 1;
  if (enabled && needed < 1) throw lint("native_approval.needed_approvers", `must be at least 1, and is ${needed}`);
  const entries = native?.approve_users ?? [];
  const named = entries.map(namedIn);
  const approval: PlanApproval = {
    ...commonOf(input),
    ...{ timeout: native?.timeout ?? 0, neededApprovers: Math.max(needed, 1), named },
  };
  if (enabled) await requireApprovers(approval);
  return approval;
}

/** What approvals of every type have, before anybody decided. */
function commonOf({ enabled, description, start_time, end_time, ...input }: ApprovalInput) {
  return {
    ...({ enabled, status: "", description, startTime: start_time, endTime: end_time } as const),
    ...{ approvers: [], instanceCode: "", forbidSelfApproval: input.forbid_self_approval },
    validForMinutes: input.valid_for_minutes,
  };
}

/** An approval that people of a chat service decide: what cannot be asked there is refused where it is enabled. */
async function readVendorApproval(input: ApprovalInput, type: VendorType): Promise<PlanApproval> {
  const field = vendorFields[type];
  const given = input[field];
  if (!given) throw lint(field, "approval not found: name who approves, in whose name, and through which chat app");
  if (input.forbid_self_approval)
    throw lint(
      "forbid_self_approval",
      `users of this installation are not known to ${vendorNames[type]}; leave it out`,
    );
  const question = questionOf(type, given);
  const problems = input.enabled ? givenProblems(given, question) : [];
  if (input.enabled && problems.length === 0) problems.push(...(await lintQuestion(question)));
  if (problems.length > 0) throw badRequest(problems.map((one) => lintProblem(`${field}.${one.field}`, one.problem)));
  return {
    ...commonOf(input),
    ...{ timeout: given.timeout, neededApprovers: 0, named: [], vendor: { ...question, round: unasked } },
  };
}

function namedIn({ type, user_id, user_name, group_id, group_name }: Entry): NamedApprover {
  return type === "group" ? { type, id: group_id, name: group_name } : { type: "user", id: user_id, name: user_name };
}

async function requireApprovers(approval: PlanApproval): Promise<void> {
  const problems = (await Promise.all(approval.named.map(problemOf))).flat();
  if (problems.length > 0) throw badRequest(problems);
  const people = await approvalPeople(approval);
  const wanted = `${approval.neededApprovers} must approve and ${people.length} are named`;
  if (people.length < approval.neededApprovers)
    throw lint(
      "native_approval.needed_approvers",
      `all approve users should not less than needed approvers: ${wanted}`,
    );
  if (people.length > mostApprovers)
    throw lint("native_approval.approve_users", `name at most ${mostApprovers} people, members of groups included`);
}

async function problemOf(one: NamedApprover, at: number, all: readonly NamedApprover[]): Promise<Problem[]> {
  const field = one.type === "user" ? "user_id" : "group_id";
  const place = `native_approval.approve_users[${at}].${field}`;
  if (all.findIndex(({ type, id }) => type === one.type && id === one.id) < at)
    return [problem(place, `${one.id} is named twice`)];
  if (one.type === "user") return (await findUser(one.id)) ? [] : [problem(place, `no user has the id ${one.id}`)];
  const exists = one.id === allUsersGroupId || (await findGroup(one.id)) !== undefined;
  return exists ? [] : [problem(place, `no user group has the id ${one.id}`)];
}

function problem(path: string, text: string): Problem {
  return { in: "body", path: `approval.${path}`, problem: text };
}

function refused(path: string, text: string) {
  return badRequest([problem(path, text)]);
}

function lint(path: string, text: string) {
  return badRequest([lintProblem(path, text)]);
}

function lintProblem(path: string, text: string): Problem {
  return problem(path, `lintApproval error: ${text}`);
}
