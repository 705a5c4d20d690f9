import { createDecipheriv, createHash } from "node:crypto";
import { parsedJson } from "../../../base/common/parsedJson.ts";
import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import { callVendor, type VendorCall } from "../callVendor.ts";
import type {
  ApprovalApp,
  ApprovalInstance,
  ApprovalProvider,
  ApprovalRequest,
  LintProblem,
  RawCallback,
  ReadCallback,
} from "../provider.ts";
import type { ApprovalState, ApprovalStatus, VendorDecision } from "../rules/vendorApproval.ts";
import { sameText } from "../sameText.ts";
import { CallbackRefused, VendorRefused, VendorUnavailable } from "../vendorErrors.ts";
import { withToken } from "../vendorToken.ts";
import { record, records, text } from "./answers.ts";
import { formProblems } from "./formProblems.ts";

/**
 * Approvals of Feishu and of Lark, which differ in their host alone. Interfaces:
 * https://open.feishu.cn/document/server-docs/approval-v4/instance/create and its neighbours.
 */
export const lark: ApprovalProvider = { lint, create, read, revoke, parseCallback };

const hosts = { lark: "https://open.feishu.cn", lark_intl: "https://open.larksuite.com" } as const;
const codes = {
  tokenInvalid: ["99991661", "99991663", "99991668"],
  rateLimited: "99991400",
  instanceUnknown: "1390003",
  subscribedAlready: "1390007",
  internal: "1395001",
  keyTaken: "60012",
} as const;

interface Definition {
  /** Ids of the nodes whose approvers the initiator names, in their order. */
  nodes: { id: string; type: string; takesSeveral: boolean }[];
  widgets: { id: string; name: string; type: string; required: boolean }[];
}

async function lint(app: ApprovalApp, { nodes }: Pick<ApprovalRequest, "nodes">) {
  if (app.templateId === "")
    return [
      problem("approval_id", "the chat app has no template_id; set it to the approval code of a form made there"),
    ];
  return definitionProblems(await readDefinition(app), nodes);
}

const isText = ({ type }: { type: string }) => type === "input" || type === "textarea";

function problem(field: LintProblem["field"], text: string): LintProblem {
  return { field, problem: text };
}

function definitionProblems({ nodes, widgets }: Definition, wanted: ApprovalRequest["nodes"]): LintProblem[] {
  const problems = formProblems(widgets.map((widget) => ({ ...widget, isText: isText(widget) })));
  if (nodes.length !== wanted.length) {
    const has = `the form has ${nodes.length} nodes whose approvers the initiator names, and ${wanted.length} are given`;
    return [...problems, problem("approval_nodes", has)];
  }
  for (const [at, { type, people }] of wanted.entries()) {
    const node = nodes[at];
    if (node !== undefined && node.type !== type)
      problems.push(problem(`approval_nodes[${at}].type`, `the form's node is ${node.type}, not ${type}`));
    if (node?.takesSeveral === false && people.length > 1)
      problems.push(problem(`approval_nodes[${at}].approve_users`, "the form's node takes one approver"));
  }
  return problems;
}

async function readDefinition(app: ApprovalApp): Promise<Definition> {
  const data = await ask(app, `/open-apis/approval/v4/approvals/${encodeURIComponent(app.templateId)}`);
  if (data.status !== undefined && data.status !== "ACTIVE")
    throw new VendorRefused(`the approval ${app.templateId} is not in use (${String(data.status)})`);
  return {
    nodes: records(data.node_list)
      .filter(({ need_approver }) => need_approver === true)
      .map(({ custom_node_id, node_id, node_type, approver_chosen_multi }) => ({
        id: text(custom_node_id) || text(node_id),
        type: text(node_type),
        takesSeveral: approver_chosen_multi !== false,
      })),
    widgets: records(parsedJson(text(data.form))).map(({ id, name, type, required }) => ({
      ...{ id: text(id), name: text(name) || text(id), type: text(type), required: required === true },
    })),
  };
}

async function create(app: ApprovalApp, request: ApprovalRequest): Promise<string> {
  await subscribe(app);
  const { nodes, widgets } = await readDefinition(app);
  const form = widgets.filter(isText).map(({ id, type }) => ({ id, type, value: `${request.text}\n${request.key}` }));
  try {
    const data = await ask(app, "/open-apis/approval/v4/instances", {
      body: {
        approval_code: app.templateId,
        open_id: request.initiator,
        form: JSON.stringify(form),
        node_approver_open_id_list: nodes.map(({ id }, at) => ({
          key: id,
          value: request.nodes[at]?.people.map((person) => person.id) ?? [],
        })),
        uuid: request.key,
      },
    });
    return text(data.instance_code);
  } catch (error) {
    // An earlier try got through: its instance is read by the same key.
    if (isCode(error, codes.keyTaken)) return codeOf(app, request.key);
    throw error;
  }
}

/** Without the subscription the chat service never calls back; the subscription stays in force. */
async function subscribe(app: ApprovalApp): Promise<void> {
  const path = `/open-apis/approval/v4/approvals/${encodeURIComponent(app.templateId)}/subscribe`;
  try {
    await ask(app, path, { body: {} });
  } catch (error) {
    if (!isCode(error, codes.subscribedAlready)) throw error;
  }
}

async function codeOf(app: ApprovalApp, key: string): Promise<string> {
  return text((await readInstance(app, key)).instance_code);
}

/** @param id the instance's code, or the key that it was opened with */
function readInstance(app: ApprovalApp, id: string): Promise<Record<string, unknown>> {
  return ask(app, `/open-apis/approval/v4/instances/${encodeURIComponent(id)}?user_id_type=open_id`);
}

const statuses: Readonly<Record<string, ApprovalStatus>> = {
  ...{ PENDING: "open", APPROVED: "approved", REJECTED: "rejected", CANCELED: "revoked", DELETED: "gone" },
};

async function read(app: ApprovalApp, code: string): Promise<ApprovalState> {
  try {
    const data = await readInstance(app, code);
    const status = statuses[text(data.status)];
    if (status === undefined) throw new VendorUnavailable(`the approval has the unknown status ${text(data.status)}`);
    return {
      status: data.reverted === true ? "revoked" : status,
      decisions: records(data.timeline).flatMap(decisionOf),
    };
  } catch (error) {
    if (isCode(error, codes.instanceUnknown)) return { status: "gone", decisions: [] };
    throw error;
  }
}

function decisionOf({ type, open_id, comment, create_time }: Record<string, unknown>): VendorDecision[] {
  if (type !== "PASS" && type !== "REJECT") return [];
  const decision = type === "PASS" ? "approve" : "reject";
  const at = Math.floor(Number(create_time ?? 0) / 1000);
  return [{ personId: text(open_id), decision, comment: text(comment), at }];
}

async function revoke(app: ApprovalApp, { key, code, initiator }: ApprovalInstance): Promise<void> {
  try {
    const instance_code = code === "" ? await codeOf(app, key) : code;
    if ((await read(app, instance_code)).status !== "open") return;
    await ask(app, "/open-apis/approval/v4/instances/cancel?user_id_type=open_id", {
      body: { approval_code: app.templateId, instance_code, user_id: initiator },
    });
  } catch (error) {
    if (!isCode(error, codes.instanceUnknown)) throw error;
  }
}

/** @returns `data` of the answer @throws VendorRefused, VendorUnavailable */
async function ask(app: ApprovalApp, path: string, call: VendorCall = {}): Promise<Record<string, unknown>> {
  const base = (app.address || hosts[app.type === "lark_intl" ? "lark_intl" : "lark"]).replace(/\/+$/, "");
  const token = async () => {
    const body = { app_id: app.appId, app_secret: app.appSecret };
    const answer = await callVendor(`${base}/open-apis/auth/v3/tenant_access_token/internal`, { body });
    const { tenant_access_token, expire } = accepted(answer.body);
    return { token: text(tenant_access_token), seconds: Number(expire ?? 0) };
  };
  const data = await withToken(app, token, async (bearer) => {
    const { body } = await callVendor(base + path, { ...call, headers: { authorization: `Bearer ${bearer}` } });
    if (codes.tokenInvalid.some((code) => code === String(body.code))) return undefined;
    return record(accepted(body).data);
  });
  if (data === undefined) throw new VendorUnavailable("the chat service does not take the token that it gave");
  return data;
}

/** Failures come with status 200 and a code of their own. */
function accepted(body: Record<string, unknown>): Record<string, unknown> {
  const code = String(body.code);
  if (code === "0") return body;
  const says = `code ${code}: ${text(body.msg).slice(0, 200)}`;
  if (code === codes.rateLimited || code === codes.internal)
    throw new VendorUnavailable(`the chat service answered ${says}`);
  throw new VendorRefused(`the chat service answered ${says}`, code);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof VendorRefused && error.code === code;
}

/**
 * Events are signed and encrypted. The check of the address is encrypted alone, and answers only who knows the app's
 * verification token.
 */
function parseCallback(app: ApprovalApp, { headers, body }: RawCallback): ReadCallback {
  const { encryptKey, verificationToken } = app;
  const signature = headers["x-lark-signature"];
  if (signature !== undefined) {
    const signed = `${headers["x-lark-request-timestamp"] ?? ""}${headers["x-lark-request-nonce"] ?? ""}${encryptKey}${body}`;
    if (!sameText(signature, createHash("sha256").update(signed).digest("hex")))
      throw new CallbackRefused("the signature is wrong");
  }
  const event = decrypted(encryptKey, body);
  const token = text(event.token) || text(record(event.header).token);
  if (verificationToken !== "" && !sameText(token, verificationToken)) throw new CallbackRefused("the token is wrong");
  if (event.type === "url_verification") return { answer: { challenge: text(event.challenge) } };
  if (signature === undefined) throw new CallbackRefused("the signature is missing");
  const code = text(record(event.event).instance_code);
  return { answer: {}, ...(code !== "" && { code }) };
}

/** AES-256-CBC under the SHA-256 of the key; the first block is the vector. */
function decrypted(encryptKey: string, body: string): Record<string, unknown> {
  const outer = parsedJson(body);
  if (!isRecord(outer) || typeof outer.encrypt !== "string") throw new CallbackRefused("the body is not encrypted");
  try {
    const bytes = Buffer.from(outer.encrypt, "base64");
    const key = createHash("sha256").update(encryptKey).digest();
    const decipher = createDecipheriv("aes-256-cbc", key, bytes.subarray(0, 16));
    const inner = parsedJson(Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString("utf8"));
    if (isRecord(inner)) return inner;
  } catch {
    // Whatever is wrong with it, it was not encrypted for this app.
  }
  throw new CallbackRefused("the body cannot be decrypted");
}
