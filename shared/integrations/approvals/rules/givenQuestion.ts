import type { LintProblem } from "../provider.ts";
import type { VendorNode, VendorPerson, VendorQuestion, VendorType } from "./vendorApproval.ts";

type Given<T> = T | null | undefined;
interface GivenPerson {
  id?: Given<string>;
  name?: Given<string>;
}
interface GivenNode {
  type?: Given<string>;
  approve_users?: Given<readonly GivenPerson[]>;
  approve_groups?: Given<readonly unknown[]>;
  cc_users?: Given<readonly unknown[]>;
  cc_groups?: Given<readonly unknown[]>;
}

/** What a chat service is to be asked, as it is on the wire. */
export interface GivenQuestion {
  /** Of the record of the chat app. */
  approval_id?: Given<string>;
  default_approval_initiator?: Given<GivenPerson>;
  approval_initiator?: Given<GivenPerson>;
  /** What approvals of WeCom call the initiator. */
  creator_user?: Given<GivenPerson>;
  approval_nodes?: Given<readonly GivenNode[]>;
}

/** The same, as it is asked. */
export function questionOf(type: VendorType, given: GivenQuestion): VendorQuestion {
  const initiator = given.approval_initiator ?? given.default_approval_initiator ?? given.creator_user;
  return {
    ...{ type, appId: given.approval_id ?? "", initiator: personOf(initiator ?? {}) },
    nodes: (given.approval_nodes ?? []).map((node): VendorNode => {
      return { type: node.type === "OR" ? "OR" : "AND", people: (node.approve_users ?? []).map(personOf) };
    }),
  };
}

function personOf({ id, name }: GivenPerson): VendorPerson {
  return { id: id ?? "", name: name ?? "" };
}

/** What of it no chat service can be asked. */
export function givenProblems(given: GivenQuestion, { initiator, nodes: asked }: VendorQuestion): LintProblem[] {
  const problems: LintProblem[] = [];
  if (initiator.id === "")
    problems.push({ field: "default_approval_initiator", problem: "say in whose name the approval is opened" });
  if (asked.length === 0) problems.push({ field: "approval_nodes", problem: "name who approves" });
  for (const [at, node] of (given.approval_nodes ?? []).entries()) {
    const place = `approval_nodes[${at}]` as const;
    if (node.type !== "AND" && node.type !== "OR")
      problems.push({
        field: `${place}.type`,
        problem: `${node.type || "an empty type"} cannot be asked; give AND or OR`,
      });
    problems.push(...peopleProblems(asked[at]?.people ?? [], place));
    for (const field of ["approve_groups", "cc_users", "cc_groups"] as const)
      if ((node[field] ?? []).length > 0)
        problems.push({ field: `${place}.${field}`, problem: "cannot be asked; name people in approve_users" });
  }
  return problems;
}

function peopleProblems(people: readonly VendorPerson[], place: `approval_nodes[${number}]`): LintProblem[] {
  const field = `${place}.approve_users` as const;
  if (people.length === 0) return [{ field, problem: "name who approves" }];
  const unnamed = people.findIndex(({ id }) => id === "");
  if (unnamed >= 0)
    return [{ field: `${field}[${unnamed}].id`, problem: "cannot be empty; give the id at the chat service" }];
  const twice = people.find(({ id }, one) => people.findIndex((other) => other.id === id) < one);
  return twice === undefined ? [] : [{ field, problem: `${twice.id} is named twice` }];
}
