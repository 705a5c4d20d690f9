import { decisionsByNode, nodeDecision, type VendorQuestion, type VendorRound } from "./vendorApproval.ts";

/** What a chat service is asked and what people said there, as it is on the wire. @param timeout minutes */
export function shownQuestion({ appId, initiator, nodes }: VendorQuestion, round: VendorRound, timeout: number) {
  const said = decisionsByNode(nodes, round.decisions);
  return {
    ...{ timeout, approval_id: appId, default_approval_initiator: { ...initiator } },
    approval_nodes: nodes.map((node, at) => ({
      ...{ type: node.type, approve_node_type: "user" as const },
      approve_users: node.people.map((person, place) => {
        const one = said[at]?.[place];
        const { comment, at: time, decision } = one ?? { comment: "", at: 0, decision: undefined };
        return { ...person, ...(decision && { reject_or_approve: decision }), comment, operation_time: time };
      }),
      reject_or_approve: nodeDecision(node, said[at] ?? []),
    })),
    instance_code: round.code,
  };
}
