import type { VendorType } from "../../shared/integrations/approvals/rules/vendorApproval.ts";
import { dingtalkApp, startDingtalkServer } from "./dingtalkServer.ts";
import { callbackKeys, envelopeOf } from "./envelopes.ts";
import { larkApp, larkCallback, larkEvent, startLarkServer } from "./larkServer.ts";
import type { VendorReply, VendorServer } from "./vendorServer.ts";
import { startWorkwxServer, workwxApp } from "./workwxServer.ts";

/** A request as a chat service sends it; `query` begins with a question mark, or is empty. */
interface SentCallback {
  query: string;
  body: string;
  headers: Record<string, string>;
}

/** A chat service on loopback, as tests of approvals need it whatever its interface is like. */
export interface ChatService {
  type: VendorType;
  /** What people call it. */
  name: string;
  /** Where its callbacks arrive, and what it is asked stands. */
  word: "lark" | "dingtalk" | "workwx";
  server: VendorServer;
  /** Body of the chat app's record, with its keys. */
  app: object;
  person(id: string): { id: string; name: string };
  /** What somebody says there, who decides it. */
  say(code: string, isApproved: boolean, comment: string): void;
  /** Says that something is new of an instance. @param keys in the place of the app's */
  callback(code: string, keys?: Partial<typeof callbackKeys>): SentCallback;
  /** The next try to open an instance. @param doesIt although the answer is another one */
  nextOpening(reply: VendorReply, doesIt?: boolean): void;
  /** What it gave so far counts no more. */
  forgetTokens(): void;
  refusal: VendorReply;
  /** Instances of a round, by the code. */
  opened(key: string): string[];
  isTakenBack(code: string): boolean;
}

const time = 1760000000;

/** Feishu or Lark. */
export interface LarkService extends ChatService {
  /** Nobody answers from then on, or somebody does again. */
  setDown(isDown: boolean): void;
  /** Somebody takes the instance back there. */
  revoke(code: string): void;
}

export async function startLark(type: "lark" | "lark_intl"): Promise<LarkService> {
  const server = await startLarkServer();
  const path = "/open-apis/approval/v4/instances";
  return {
    ...{ type, server, word: "lark", name: type === "lark" ? "Feishu" : "Lark" },
    app: { ...larkApp, type: type === "lark" ? "feishu" : type, address: server.url },
    person: (id) => ({ id: `ou_${id}`, name: id.toUpperCase() }),
    say: (code, isApproved, comment) =>
      server.decide(code, isApproved ? "APPROVED" : "REJECTED", {
        ...{ who: "ou_kim", comment },
        type: isApproved ? "PASS" : "REJECT",
      }),
    callback: (code, keys = {}) => {
      const { body, headers } = larkCallback(larkEvent(code, "PENDING"), {
        encryptKey: keys.encrypt_key ?? larkApp.encrypt_key,
      });
      return { query: "", body, headers: { ...headers, "content-type": "application/json" } };
    },
    nextOpening: (reply, doesIt = false) => void server.next.push({ path, reply, doesIt }),
    forgetTokens: server.forgetTokens,
    refusal: { status: 200, body: { code: 1390001, msg: "param is invalid" } },
    opened: (key) =>
      [...server.instances.values()].filter(({ uuid }) => uuid === key).map(({ instance_code }) => instance_code),
    isTakenBack: (code) => server.instances.get(code)?.status === "CANCELED",
    setDown: (isDown) => {
      server.isDown = isDown;
    },
    revoke: (code) => server.decide(code, "CANCELED"),
  };
}

export async function startDingtalk(): Promise<ChatService> {
  const server = await startDingtalkServer();
  return {
    ...{ type: "dingtalk", server, word: "dingtalk", name: "DingTalk" },
    app: { ...dingtalkApp, ...callbackKeys, address: server.url },
    person: (id) => ({ id, name: id.toUpperCase() }),
    say: (code, isApproved, remark) => {
      const found = server.instances.get(code);
      if (found === undefined) throw new Error(`there is no instance ${code}`);
      Object.assign(found, { status: "COMPLETED", result: isApproved ? "agree" : "refuse" });
      const date = new Date(time * 1000).toISOString();
      found.operationRecords.push({ userId: "kim", result: isApproved ? "AGREE" : "REFUSE", remark, date });
    },
    callback: (code, keys = {}) => {
      const text = JSON.stringify({ EventType: "bpms_instance_change", processInstanceId: code });
      const { timestamp, nonce, encrypted, signature } = envelopeOf(text, "ding4711", keys);
      const query = `?${new URLSearchParams({ timestamp, nonce, signature })}`;
      return { query, body: JSON.stringify({ encrypt: encrypted }), headers: { "content-type": "application/json" } };
    },
    nextOpening: (reply, doesIt = false) =>
      void server.next.push({ path: "/v1.0/workflow/processInstances", reply, doesIt }),
    forgetTokens: server.forgetTokens,
    refusal: { status: 400, body: { code: "userNotFound", message: "no" } },
    opened: (key) =>
      [...server.instances.values()]
        .filter(({ formComponentValues }) => JSON.stringify(formComponentValues).includes(key))
        .map(({ id }) => id),
    isTakenBack: (code) => server.instances.get(code)?.status === "TERMINATED",
  };
}

export async function startWorkwx(): Promise<ChatService> {
  const server = await startWorkwxServer();
  return {
    ...{ type: "workwx", server, word: "workwx", name: "WeCom" },
    app: { ...workwxApp, ...callbackKeys, address: server.url },
    person: (id) => ({ id, name: id.toUpperCase() }),
    say: (code, isApproved, speech) => {
      const sheet = server.sheets.get(code);
      if (sheet === undefined) throw new Error(`there is no sheet ${code}`);
      const sp_status = isApproved ? 2 : 3;
      sheet.sp_status = sp_status;
      const one = { approver: { userid: "kim" }, speech, sp_status, sptime: time };
      sheet.sp_record.push({ approverattr: 1, sp_status, details: [one] });
    },
    callback: (code, keys = {}) => {
      const text = `<xml><Event><![CDATA[sys_approval_change]]></Event><ApprovalInfo><SpNo>${code}</SpNo></ApprovalInfo></xml>`;
      const { timestamp, nonce, encrypted, signature } = envelopeOf(text, "ww4711", keys);
      const query = `?${new URLSearchParams({ timestamp, nonce, msg_signature: signature })}`;
      const body = `<xml><ToUserName><![CDATA[ww4711]]></ToUserName><Encrypt><![CDATA[${encrypted}]]></Encrypt></xml>`;
      return { query, body, headers: { "content-type": "text/xml" } };
    },
    nextOpening: (reply, doesIt = false) => void server.next.push({ path: "/cgi-bin/oa/applyevent", reply, doesIt }),
    forgetTokens: server.forgetTokens,
    refusal: { status: 200, body: { errcode: 301025, errmsg: "no" } },
    opened: (key) =>
      [...server.sheets.values()]
        .filter(({ apply_data }) => JSON.stringify(apply_data).includes(key))
        .map(({ sp_no }) => sp_no),
    // It has no interface for that.
    isTakenBack: () => false,
  };
}
