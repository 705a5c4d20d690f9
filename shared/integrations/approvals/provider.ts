import type { ApprovalState, VendorNode, VendorType } from "./rules/vendorApproval.ts";

/** A chat app of the settings with what approvals need of it; a secret that is not set is empty. */
export interface ApprovalApp {
  id: string;
  type: VendorType;
  appId: string;
  appSecret: string;
  /** Empty: the chat service's own. */
  address: string;
  encryptKey: string;
  verificationToken: string;
  /** The form that people see, made at the chat service. */
  templateId: string;
}

/** What is to be approved. */
export interface ApprovalRequest {
  /** Letters, digits and hyphens, at most 64: the same for every try to open it. */
  key: string;
  /** Written into the form's texts, with the key. */
  text: string;
  /** Id at the chat service. */
  initiator: string;
  nodes: readonly VendorNode[];
  /** Unix seconds before which no try to open it was made. */
  since: number;
  /** A try before this one may have opened it unseen. */
  mayExist: boolean;
}

/** An instance as far as it is known: the code is empty where a try to open it was not seen to its end. */
export interface ApprovalInstance extends Pick<ApprovalRequest, "key" | "initiator" | "since"> {
  code: string;
}

/** What cannot be asked there; `field` is a path inside the approval of the chat service. */
export interface LintProblem {
  field: "approval_id" | "default_approval_initiator" | "approval_nodes" | `approval_nodes[${number}]${string}`;
  problem: string;
}

/** A request of the chat service as it came in. */
export interface RawCallback {
  headers: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: string;
}

/** `answer` goes back as it is; `code` names an instance of which something is new. */
export interface ReadCallback {
  answer: Readonly<Record<string, unknown>> | string;
  code?: string;
}

/**
 * Approvals of one chat service.
 * All but `parseCallback` throw VendorRefused when the service says no and VendorUnavailable when another try may help.
 */
export interface ApprovalProvider {
  /** What of the question the service, or the form, cannot express. */
  lint(app: ApprovalApp, question: Pick<ApprovalRequest, "nodes">): Promise<LintProblem[]>;
  /** Opens it, or finds what an earlier try opened. @returns the code of the instance */
  create(app: ApprovalApp, request: ApprovalRequest): Promise<string>;
  read(app: ApprovalApp, code: string): Promise<ApprovalState>;
  /** Takes the instance back; an instance that has ended or was never opened is no error. */
  revoke(app: ApprovalApp, instance: ApprovalInstance): Promise<void>;
  /** Checks the signature before anything else. @throws CallbackRefused */
  parseCallback(app: ApprovalApp, callback: RawCallback): ReadCallback;
}
