import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { startVendorServer, type VendorReply, type VendorRequest, type VendorServer } from "./vendorServer.ts";

interface Instance {
  instance_code: string;
  uuid: string;
  status: string;
  reverted: boolean;
  open_id: string;
  timeline: object[];
}

export const larkApp = {
  ...{ app_id: "cli_approve", app_secret: "lark-secret-4711", template_id: "7C468A54" },
  ...{ encrypt_key: "lark-encrypt-key", verification_token: "lark-token" },
};

const form = [
  { id: "what", name: "What", type: "textarea", required: true },
  { id: "when", name: "When", type: "date", required: false },
];
const nodes = [
  { node_id: "start", node_type: "AND", need_approver: false },
  { node_id: "first", node_type: "AND", need_approver: true, approver_chosen_multi: true },
  { node_id: "second", node_type: "OR", need_approver: true, approver_chosen_multi: true },
];

/** What Feishu's and Lark's interface says about approvals; failures come with status 200 and a code of their own. */
export interface LarkStandIn extends VendorServer {
  instances: Map<string, Instance>;
  /** Answers of the next calls of a path, in order, in the place of the usual ones. */
  next: { path: string; reply: VendorReply; doesIt?: boolean }[];
  definition: { status: string; form: object[]; nodes: object[] };
  /** Nobody answers while it is true. */
  isDown: boolean;
  /** What it gave so far counts no more. */
  forgetTokens(): void;
  decide(code: string, status: string, ...said: { who: string; type: "PASS" | "REJECT"; comment?: string }[]): void;
}

const api = "/open-apis/approval/v4";

export async function startLarkServer(): Promise<LarkStandIn> {
  const instances: LarkStandIn["instances"] = new Map();
  const tokens = new Set<string>();
  const subscribed = new Set<string>();
  const next: LarkStandIn["next"] = [];
  const definition = { status: "ACTIVE", form, nodes };
  const state = { isDown: false };
  const ok = (data: object = {}): VendorReply => ({ status: 200, body: { code: 0, msg: "success", data } });
  const fails = (code: number, msg: string): VendorReply => ({ status: 200, body: { code, msg } });

  const create = (body: Record<string, unknown>): VendorReply => {
    const uuid = String(body.uuid);
    if ([...instances.values()].some((one) => one.uuid === uuid)) return fails(60012, "uuid conflict");
    const instance_code = `I-${randomBytes(6).toString("hex")}`;
    const fresh = { status: "PENDING", reverted: false, open_id: String(body.open_id), timeline: [] };
    instances.set(instance_code, { instance_code, uuid, ...fresh });
    return ok({ instance_code });
  };
  const find = (id: string) => instances.get(id) ?? [...instances.values()].find(({ uuid }) => uuid === id);
  const cancel = ({ instance_code, user_id }: Record<string, unknown>): VendorReply => {
    const found = find(String(instance_code));
    if (found === undefined) return fails(1390003, "instance code not found");
    if (found.status !== "PENDING" || found.open_id !== user_id) return fails(1390015, "not allowed");
    found.status = "CANCELED";
    return ok();
  };
  const usual = ({ method, path, body }: VendorRequest): VendorReply => {
    const [place = ""] = path.split("?");
    if (place === `${api}/approvals/${larkApp.template_id}`)
      return ok({ status: definition.status, form: JSON.stringify(definition.form), node_list: definition.nodes });
    if (place === `${api}/approvals/${larkApp.template_id}/subscribe`) {
      if (subscribed.has(place)) return fails(1390007, "subscription existed");
      subscribed.add(place);
      return ok();
    }
    if (place.startsWith(`${api}/approvals/`)) return fails(1390002, "approval code not found");
    if (place === `${api}/instances/cancel`) return cancel(body);
    if (place === `${api}/instances` && method === "POST") return create(body);
    const found = find(decodeURIComponent(place.slice(`${api}/instances/`.length)));
    return found === undefined ? fails(1390003, "instance code not found") : ok(found);
  };
  const server = await startVendorServer((request) => {
    if (state.isDown) return "drop";
    const { path, body, headers } = request;
    if (path === "/open-apis/auth/v3/tenant_access_token/internal") {
      if (body.app_id !== larkApp.app_id || body.app_secret !== larkApp.app_secret)
        return fails(10014, "app secret invalid");
      const token = `t-${randomBytes(6).toString("hex")}`;
      tokens.add(token);
      return { status: 200, body: { code: 0, msg: "ok", tenant_access_token: token, expire: 7200 } };
    }
    if (!tokens.has(String(headers.authorization).replace("Bearer ", "")))
      return fails(99991663, "Invalid access token");
    const at = next.findIndex((one) => path.split("?")[0] === one.path);
    if (at < 0) return usual(request);
    const [given] = next.splice(at, 1);
    if (given?.doesIt) usual(request);
    return given?.reply ?? "drop";
  });
  const standIn = {
    ...{ ...server, instances, next, definition },
    forgetTokens: () => tokens.clear(),
    decide: (code: string, status: string, ...said: { who: string; type: string; comment?: string }[]) => {
      const found = instances.get(code);
      if (found === undefined) throw new Error(`there is no instance ${code}`);
      found.status = status;
      for (const { who, type, comment = "" } of said)
        found.timeline.push({ type, open_id: who, comment, create_time: "1760000000000" });
    },
    get isDown() {
      return state.isDown;
    },
    set isDown(value: boolean) {
      state.isDown = value;
    },
  };
  return standIn;
}

/** A callback as the service sends it: encrypted, and signed unless it checks the address. */
export function larkCallback(event: object, { encryptKey = larkApp.encrypt_key, isSigned = true } = {}) {
  const key = createHash("sha256").update(encryptKey).digest();
  const iv = randomBytes(16);
  const cipher = createCipheriv("aes-256-cbc", key, iv);
  const text = JSON.stringify({ token: larkApp.verification_token, ...event });
  const encrypt = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final()]).toString("base64");
  // Spaces that a parser would drop: the signature is over the text as it was sent.
  const body = `{ "encrypt" : ${JSON.stringify(encrypt)} }`;
  const [timestamp, nonce] = ["1760000000", "nonce"];
  const signature = createHash("sha256")
    .update(timestamp + nonce + encryptKey + body)
    .digest("hex");
  const signed = {
    "x-lark-request-timestamp": timestamp,
    "x-lark-request-nonce": nonce,
    "x-lark-signature": signature,
  };
  return { body, headers: isSigned ? signed : {} };
}

/** What is told of an instance. */
export function larkEvent(code: string, status: string) {
  const event = { type: "approval_instance", approval_code: larkApp.template_id, instance_code: code, status };
  return { type: "event_callback", uuid: "e-1", ts: "1760000000.1", event };
}
