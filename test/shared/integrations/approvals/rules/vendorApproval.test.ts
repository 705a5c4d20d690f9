import { expect, test } from "vitest";
import {
  decisionsByNode,
  nextLook,
  nodeDecision,
  type VendorDecision,
  type VendorNode,
} from "../../../../../shared/integrations/approvals/rules/vendorApproval.ts";

const opened = 1_760_000_000;
const minute = 60;
const halfDay = 12 * 60 * minute;

test.each([
  ["at once", 0, 0, 5 * minute],
  ["at the first look", 5 * minute, 1, 15 * minute],
  ["before the third", 59 * minute, 2, 60 * minute],
  ["at the third", 60 * minute, 3, 60 * minute + halfDay],
  ["after half a day", 60 * minute + halfDay + 1, 4, 60 * minute + 2 * halfDay],
  ["after ninety days", 90 * 86_400, 182, 60 * minute + 180 * halfDay],
])("looks follow after 5, 15 and 60 minutes, then every twelve hours: %s", (_, after, number, at) => {
  expect(nextLook(opened, opened + after)).toEqual({ number, at: opened + at });
});

const node = (type: VendorNode["type"], ...ids: string[]): VendorNode => {
  return { type, people: ids.map((id) => ({ id, name: id })) };
};
const says = (personId: string, at: number, decision: VendorDecision["decision"] = "approve"): VendorDecision => {
  return { personId, decision, comment: "", at };
};

test("who is named in two nodes decides in the first before the second", () => {
  const nodes = [node("AND", "kim", "sam"), node("OR", "kim", "lee")];
  const outcome = (...said: VendorDecision[]) => {
    const found = decisionsByNode(nodes, said);
    return nodes.map((one, at) => nodeDecision(one, found[at] ?? []));
  };
  expect(outcome()).toEqual(["", ""]);
  expect(outcome(says("kim", 1))).toEqual(["", ""]);
  expect(outcome(says("kim", 3), says("sam", 2), says("kim", 1))).toEqual(["approve", "approve"]);
  expect(outcome(says("sam", 1, "reject"))).toEqual(["reject", ""]);
});
