import { callVendor } from "../callVendor.ts";
import type {
  ApprovalApp,
  ApprovalInstance,
  ApprovalProvider,
  ApprovalRequest,
  RawCallback,
  ReadCallback,
} from "../provider.ts";
import type { ApprovalState, ApprovalStatus, VendorDecision } from "../rules/vendorApproval.ts";
import { CallbackRefused, VendorRefused, VendorUnavailable } from "../vendorErrors.ts";
import { withToken } from "../vendorToken.ts";
import { record, records, text } from "./answers.ts";
import { openEnvelope } from "./encodingKey.ts";
import { formProblems } from "./formProblems.ts";

/** Approvals of WeCom. Interfaces: https://developer.work.weixin.qq.com/document/path/91853 and its neighbours. */
export const workwx: ApprovalProvider = { lint, create, read, revoke, parseCallback };

const ownAddress = "https://qyapi.weixin.qq.com";
const tokenInvalid = ["40014", "42001"];
/** Busy, too many calls, too many at once. */
const passing = ["-1", "45009", "45033"];
const pageSize = 100;
/** Of one line of the summary that chats show. */
const longestSummary = 20;

interface Control {
  id: string;
  name: string;
  type: string;
  required: boolean;
  isText: boolean;
}

async function lint(app: ApprovalApp) {
  return formProblems(await readControls(app));
}

async function readControls(app: ApprovalApp): Promise<Control[]> {
  const { template_content } = await ask(app, "gettemplatedetail", { template_id: app.templateId });
  return records(record(template_content).controls).map(({ property }): Control => {
    const { id, control, title, require } = record(property);
    const type = text(control);
    const name = text(records(title)[0]?.text) || text(id);
    return { id: text(id), name, type, required: require === 1, isText: type === "Text" || type === "Textarea" };
  });
}

async function create(app: ApprovalApp, request: ApprovalRequest): Promise<string> {
  // The service takes no key: what an earlier try left is found by the key in its text.
  const earlier = request.mayExist ? await find(app, request) : undefined;
  if (earlier !== undefined) return earlier;
  const whole = `${request.text}\n${request.key}`;
  const contents = (await readControls(app))
    .filter(({ isText }) => isText)
    .map(({ id, type }) => {
      const line = type === "Text" ? whole.replaceAll("\n", " ") : whole;
      return { control: type, id, value: { text: line } };
    });
  const first = Array.from(request.text.split("\n")[0] ?? "").slice(0, longestSummary);
  const { sp_no } = await ask(app, "applyevent", {
    creator_userid: request.initiator,
    template_id: app.templateId,
    use_template_approver: 0,
    process: {
      node_list: request.nodes.map(({ type, people }) => {
        return { type: 1, apv_rel: type === "AND" ? 1 : 2, userid: people.map(({ id }) => id) };
      }),
    },
    apply_data: { contents },
    summary_list: [{ summary_info: [{ text: first.join(""), lang: "zh_CN" }] }],
  });
  return text(sp_no);
}

/** The approval whose text has the key. */
async function find(app: ApprovalApp, { key, initiator, since }: Pick<ApprovalRequest, "key" | "initiator" | "since">) {
  const filters = [
    { key: "template_id", value: app.templateId },
    { key: "creator", value: initiator },
  ];
  const times = { starttime: String(since - 60), endtime: String(Math.floor(Date.now() / 1000) + 60) };
  let new_cursor = "";
  do {
    const page = await ask(app, "getapprovalinfo", { ...times, new_cursor, size: pageSize, filters });
    for (const code of Array.isArray(page.sp_no_list) ? page.sp_no_list.map(String) : [])
      if (JSON.stringify((await readInfo(app, code)).apply_data ?? {}).includes(key)) return code;
    new_cursor = text(page.new_next_cursor);
  } while (new_cursor !== "");
  return undefined;
}

async function readInfo(app: ApprovalApp, sp_no: string): Promise<Record<string, unknown>> {
  return record((await ask(app, "getapprovaldetail", { sp_no })).info);
}

/** 10 is paid, which comes after passing. */
const statuses: Readonly<Record<number, ApprovalStatus>> = {
  ...{ 1: "open", 2: "approved", 3: "rejected", 4: "revoked", 6: "revoked", 7: "gone", 10: "approved" },
};

async function read(app: ApprovalApp, code: string): Promise<ApprovalState> {
  const { sp_status, sp_record } = await readInfo(app, code);
  const status = statuses[Number(sp_status)];
  if (status === undefined) throw new VendorUnavailable(`the approval has the unknown status ${String(sp_status)}`);
  return { status, decisions: records(sp_record).flatMap(({ details }) => records(details).flatMap(decisionOf)) };
}

function decisionOf({ approver, speech, sp_status, sptime }: Record<string, unknown>): VendorDecision[] {
  if (sp_status !== 2 && sp_status !== 3) return [];
  const decision = sp_status === 2 ? "approve" : "reject";
  return [{ personId: text(record(approver).userid), decision, comment: text(speech), at: Number(sptime ?? 0) }];
}

async function revoke(app: ApprovalApp, instance: ApprovalInstance): Promise<void> {
  const code = instance.code || (await find(app, instance));
  if (code === undefined || (await read(app, code)).status !== "open") return;
  throw new VendorRefused(`WeCom lets nobody take an approval back through its interface; ${code} stays open there`);
}

async function ask(app: ApprovalApp, what: string, body: object): Promise<Record<string, unknown>> {
  const base = (app.address || ownAddress).replace(/\/+$/, "");
  const token = async () => {
    const query = new URLSearchParams({ corpid: app.appId, corpsecret: app.appSecret });
    const { access_token, expires_in } = accepted((await callVendor(`${base}/cgi-bin/gettoken?${query}`)).body);
    return { token: text(access_token), seconds: Number(expires_in ?? 0) };
  };
  const found = await withToken(app, token, async (bearer) => {
    const address = `${base}/cgi-bin/oa/${what}?access_token=${encodeURIComponent(bearer)}`;
    const answer = await callVendor(address, { body });
    return tokenInvalid.includes(String(answer.body.errcode)) ? undefined : accepted(answer.body);
  });
  if (found === undefined) throw new VendorUnavailable("WeCom does not take the token that it gave");
  return found;
}

/** Failures come with status 200 and a code of their own. */
function accepted(body: Record<string, unknown>): Record<string, unknown> {
  const code = String(body.errcode ?? 0);
  if (code === "0") return body;
  const says = `the chat service answered code ${code}: ${text(body.errmsg).slice(0, 200)}`;
  if (passing.includes(code)) throw new VendorUnavailable(says);
  throw new VendorRefused(says, code);
}

/** The check of the address is a GET whose `echostr` is answered decrypted. */
function parseCallback(app: ApprovalApp, { query, body }: RawCallback): ReadCallback {
  const { timestamp = "", nonce = "", msg_signature = "", echostr } = query;
  const encrypted = echostr ?? textOf("Encrypt", body);
  const opened = openEnvelope(app, { timestamp, nonce, encrypted }, msg_signature);
  if (opened.receiver !== app.appId) throw new CallbackRefused("it is for another company");
  if (echostr !== undefined) return { answer: opened.text };
  const code = textOf("SpNo", opened.text);
  return { answer: "success", ...(code !== "" && { code }) };
}

/** Of the only element of that name: their texts hold neither brackets nor references. */
function textOf(element: string, xml: string): string {
  return new RegExp(`<${element}>(?:<!\\[CDATA\\[)?([^<\\]]*)`).exec(xml)?.[1] ?? "";
}
