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
import { CallbackRefused, VendorRefused, VendorUnavailable } from "../vendorErrors.ts";
import { withToken } from "../vendorToken.ts";
import { record, records, text } from "./answers.ts";
import { openEnvelope, sealEnvelope } from "./encodingKey.ts";
import { formProblems } from "./formProblems.ts";

/** Approvals of DingTalk. Interfaces: https://open.dingtalk.com/document/orgapp/create-an-approval-instance and its neighbours. */
export const dingtalk: ApprovalProvider = { lint, create, read, revoke, parseCallback };

const ownAddress = "https://api.dingtalk.com";
const tokenInvalid = ["InvalidAuthentication"];
const passing = /^(Forbidden\.AccessDenied\.Qps|Throttling|ServiceUnavailable|InternalError|system)/i;
const mostNodes = 20;
const pageSize = 20;

interface Component {
  name: string;
  type: string;
  required: boolean;
  isText: boolean;
}

async function lint(app: ApprovalApp, { nodes }: Pick<ApprovalRequest, "nodes">): Promise<LintProblem[]> {
  const problems: LintProblem[] = [];
  if (nodes.length > mostNodes)
    problems.push({ field: "approval_nodes", problem: `must have at most ${mostNodes} entries` });
  const named = new Set<string>();
  for (const [at, { people }] of nodes.entries())
    for (const { id } of people) {
      if (named.has(id))
        problems.push({ field: `approval_nodes[${at}].approve_users`, problem: `${id} is named in two nodes` });
      named.add(id);
    }
  return problems.length > 0 ? problems : formProblems(await readComponents(app));
}

async function readComponents(app: ApprovalApp): Promise<Component[]> {
  const query = new URLSearchParams({ processCode: app.templateId });
  const { schemaContent } = await ask(app, `/forms/schemas/processCodes?${query}`);
  return records(record(schemaContent).items).map(({ componentName, props }): Component => {
    const type = text(componentName);
    const { label, required } = record(props);
    const isText = type === "TextField" || type === "TextareaField";
    return { name: text(label), type, required: required === true, isText };
  });
}

async function create(app: ApprovalApp, request: ApprovalRequest): Promise<string> {
  // The service takes no key: what an earlier try left is found by the key in its text.
  const earlier = request.mayExist ? await find(app, request) : undefined;
  if (earlier !== undefined) return earlier;
  const value = `${request.text}\n${request.key}`;
  const components = (await readComponents(app)).filter(({ isText }) => isText);
  const body = {
    originatorUserId: request.initiator,
    processCode: app.templateId,
    approvers: request.nodes.map(({ type, people }) => {
      return { actionType: people.length === 1 ? "NONE" : type, userIds: people.map(({ id }) => id) };
    }),
    formComponentValues: components.map(({ name }) => ({ name, value })),
  };
  return text((await answerOf(app, "/processInstances", { body })).instanceId);
}

/** The instance whose text has the key. */
async function find(app: ApprovalApp, { key, initiator, since }: Pick<ApprovalRequest, "key" | "initiator" | "since">) {
  const asked = { processCode: app.templateId, startTime: (since - 60) * 1000, userIds: [initiator] };
  let nextToken = 0;
  for (;;) {
    const body = { ...asked, endTime: Date.now() + 60_000, nextToken, maxResults: pageSize };
    const page = await ask(app, "/processes/instanceIds/query", { body });
    for (const code of Array.isArray(page.list) ? page.list.map(String) : [])
      if (JSON.stringify((await readInstance(app, code)).formComponentValues ?? []).includes(key)) return code;
    if (page.nextToken === undefined || page.nextToken === "") return undefined;
    nextToken = Number(page.nextToken);
  }
}

function readInstance(app: ApprovalApp, code: string): Promise<Record<string, unknown>> {
  return ask(app, `/processInstances?${new URLSearchParams({ processInstanceId: code })}`);
}

async function read(app: ApprovalApp, code: string): Promise<ApprovalState> {
  const { status, result, operationRecords } = await readInstance(app, code);
  return { status: statusOf(text(status), text(result)), decisions: records(operationRecords).flatMap(decisionOf) };
}

function statusOf(status: string, result: string): ApprovalStatus {
  if (status === "COMPLETED" && (result === "agree" || result === "refuse"))
    return result === "agree" ? "approved" : "rejected";
  if (status === "NEW" || status === "RUNNING") return "open";
  if (status === "TERMINATED" || status === "CANCELED") return "revoked";
  throw new VendorUnavailable(`the approval has the unknown status ${status} ${result}`);
}

function decisionOf({ userId, result, remark, date }: Record<string, unknown>): VendorDecision[] {
  if (result !== "AGREE" && result !== "REFUSE") return [];
  const at = Math.floor(Date.parse(text(date)) / 1000) || 0;
  return [{ personId: text(userId), decision: result === "AGREE" ? "approve" : "reject", comment: text(remark), at }];
}

async function revoke(app: ApprovalApp, instance: ApprovalInstance): Promise<void> {
  const code = instance.code || (await find(app, instance));
  if (code === undefined || (await read(app, code)).status !== "open") return;
  const body = { processInstanceId: code, isSystem: true, operatingUserId: instance.initiator, remark: "taken back" };
  await answerOf(app, "/processInstances/terminate", { body });
}

/** @returns `result` of the answer */
async function ask(app: ApprovalApp, path: string, call?: VendorCall): Promise<Record<string, unknown>> {
  return record((await answerOf(app, path, call)).result);
}

async function answerOf(app: ApprovalApp, path: string, call: VendorCall = {}): Promise<Record<string, unknown>> {
  const base = (app.address || ownAddress).replace(/\/+$/, "");
  const token = async () => {
    const body = { appKey: app.appId, appSecret: app.appSecret };
    const { accessToken, expireIn } = accepted((await callVendor(`${base}/v1.0/oauth2/accessToken`, { body })).body);
    return { token: text(accessToken), seconds: Number(expireIn ?? 0) };
  };
  const found = await withToken(app, token, async (bearer) => {
    const headers = { "x-acs-dingtalk-access-token": bearer };
    const { body } = await callVendor(`${base}/v1.0/workflow${path}`, { ...call, headers });
    return tokenInvalid.includes(text(body.code)) ? undefined : accepted(body);
  });
  if (found === undefined) throw new VendorUnavailable("DingTalk does not take the token that it gave");
  return found;
}

/** What failed has a code. */
function accepted(body: Record<string, unknown>): Record<string, unknown> {
  const code = text(body.code);
  if (code === "") return body;
  const says = `the chat service answered code ${code}: ${text(body.message).slice(0, 200)}`;
  if (passing.test(code)) throw new VendorUnavailable(says);
  throw new VendorRefused(says, code);
}

/** Every callback, the check of the address as well, is answered by an encrypted word. */
function parseCallback(app: ApprovalApp, { query, body }: RawCallback): ReadCallback {
  const { timestamp = "", nonce = "", signature = "", msg_signature = signature } = query;
  const encrypted = text(record(parsedJson(body)).encrypt);
  const opened = openEnvelope(app, { timestamp, nonce, encrypted }, msg_signature);
  const event = parsedJson(opened.text);
  if (!isRecord(event)) throw new CallbackRefused("the body cannot be decrypted");
  const code = text(event.processInstanceId);
  const sealed = sealEnvelope(app, "success", opened.receiver);
  const answer = {
    ...{ msg_signature: sealed.signature, timeStamp: sealed.timestamp, nonce: sealed.nonce },
    encrypt: sealed.encrypted,
  };
  return { answer, ...(code !== "" && { code }) };
}
