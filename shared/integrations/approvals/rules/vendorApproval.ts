/** Chat services whose own approvals decide. */
export const vendorTypes = ["lark", "lark_intl", "dingtalk", "workwx"] as const;
export type VendorType = (typeof vendorTypes)[number];

export function isVendorType(type: string): type is VendorType {
  return vendorTypes.some((one) => one === type);
}

/** What people call each service. */
export const vendorNames: Readonly<Record<VendorType, string>> = {
  ...{ lark: "Feishu", lark_intl: "Lark", dingtalk: "DingTalk", workwx: "WeCom" },
};

/** A person at the chat service, by the id that the service uses. */
export interface VendorPerson {
  id: string;
  name: string;
}

/** People who are asked at the same time; of an `AND` node all must agree, of an `OR` node one is enough. */
export interface VendorNode {
  type: "AND" | "OR";
  people: readonly VendorPerson[];
}

/** What a person said at the chat service. */
export interface VendorDecision {
  personId: string;
  decision: "approve" | "reject";
  comment: string;
  /** Unix seconds. */
  at: number;
}

/** Whom an approval asks, and where. */
export interface VendorQuestion {
  type: VendorType;
  /** Of the record of the chat app. */
  appId: string;
  /** In whose name the chat service opens it. */
  initiator: VendorPerson;
  nodes: readonly VendorNode[];
}

/** The state of one round of asking. */
export interface VendorRound {
  /** The instance at the chat service; empty until it is known. */
  code: string;
  /** Unix seconds; 0 until the instance is known. */
  openedAt: number;
  /** How often a process started to open it. */
  tries: number;
  /** Unix seconds until which the process that started to open it is left alone; 0: no process is opening it. */
  busyUntil: number;
  /** Why it could not be opened yet. */
  problem: string;
  decisions: readonly VendorDecision[];
}

export const unasked: VendorRound = {
  ...{ code: "", openedAt: 0, tries: 0, busyUntil: 0, problem: "", decisions: [] },
};

export type ApprovalStatus = "open" | "approved" | "rejected" | "revoked" | "gone";

/** An instance as the chat service tells it. */
export interface ApprovalState {
  /** `gone`: the chat service no longer knows it. */
  status: ApprovalStatus;
  decisions: readonly VendorDecision[];
}

/** Decisions by node and person: who is named in several nodes is asked in their order. */
export function decisionsByNode(
  nodes: readonly VendorNode[],
  decisions: readonly VendorDecision[],
): (VendorDecision | undefined)[][] {
  const left = [...decisions].sort((one, other) => one.at - other.at);
  return nodes.map(({ people }) =>
    people.map(({ id }) => {
      const at = left.findIndex(({ personId }) => personId === id);
      return at < 0 ? undefined : left.splice(at, 1)[0];
    }),
  );
}

/** What a node says, as it is on the wire; empty while it is open. */
export function nodeDecision({ type }: VendorNode, said: readonly (VendorDecision | undefined)[]) {
  if (said.some((one) => one?.decision === "reject")) return "reject";
  const approved = said.filter((one) => one?.decision === "approve").length;
  return approved > 0 && (type === "OR" || approved === said.length) ? "approve" : "";
}

const minute = 60;
/** Seconds after an instance was opened at which it is looked up without a callback; then every twelve hours. */
const firstLooks = [5 * minute, 15 * minute, 60 * minute];
const laterLooks = 12 * 60 * minute;

/** The next look after a time, by its number; both are Unix seconds. */
export function nextLook(openedAt: number, now: number): { number: number; at: number } {
  const early = firstLooks.findIndex((seconds) => openedAt + seconds > now);
  if (early >= 0) return { number: early, at: openedAt + (firstLooks[early] ?? 0) };
  const last = openedAt + 60 * minute;
  const later = Math.floor((now - last) / laterLooks) + 1;
  return { number: firstLooks.length - 1 + later, at: last + later * laterLooks };
}
