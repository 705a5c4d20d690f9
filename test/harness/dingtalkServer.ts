import { randomBytes } from "node:crypto";
import { startVendorServer, type VendorReply, type VendorRequest, type VendorServer } from "./vendorServer.ts";

interface Instance {
  id: string;
  status: string;
  result: string;
  originator: string;
  formComponentValues: unknown;
  operationRecords: object[];
}

export const dingtalkApp = {
  ...{ type: "dingtalk", app_id: "ding4711", app_secret: "ding-secret-4711", template_id: "PROC-4711" },
};

/** What DingTalk's interface says about approvals; failures have a code in words. */
export interface DingtalkStandIn extends VendorServer {
  instances: Map<string, Instance>;
  /** Answers of the next calls of a path, in the place of the usual ones. */
  next: { path: string; reply: VendorReply; doesIt?: boolean }[];
  forgetTokens(): void;
}

const api = "/v1.0/workflow";

export async function startDingtalkServer(): Promise<DingtalkStandIn> {
  const instances: DingtalkStandIn["instances"] = new Map();
  const tokens = new Set<string>();
  const next: DingtalkStandIn["next"] = [];
  const ok = (body: object): VendorReply => ({ status: 200, body });
  const fails = (status: number, code: string, message: string): VendorReply => ({ status, body: { code, message } });
  const items = [
    { componentName: "TextareaField", props: { id: "t", label: "What", required: true } },
    { componentName: "DDDateField", props: { id: "d", label: "When", required: false } },
  ];

  const create = ({ originatorUserId, formComponentValues }: Record<string, unknown>): VendorReply => {
    const id = `ding-${randomBytes(6).toString("hex")}`;
    const fresh = { status: "RUNNING", result: "", originator: String(originatorUserId), operationRecords: [] };
    instances.set(id, { id, ...fresh, formComponentValues });
    return ok({ instanceId: id });
  };
  const terminate = ({ processInstanceId }: Record<string, unknown>): VendorReply => {
    const found = instances.get(String(processInstanceId));
    if (found?.status !== "RUNNING") return fails(400, "processInstanceNotRunning", "it is over");
    found.status = "TERMINATED";
    return ok({ result: true });
  };
  const usual = ({ method, path, body }: VendorRequest): VendorReply => {
    const { pathname, searchParams } = new URL(path, "http://dingtalk");
    if (pathname === `${api}/forms/schemas/processCodes`)
      return searchParams.get("processCode") === dingtalkApp.template_id
        ? ok({ result: { schemaContent: { items } } })
        : fails(400, "invalidProcessCode", "there is no such form");
    if (pathname === `${api}/processInstances` && method === "POST") return create(body);
    if (pathname === `${api}/processInstances/terminate`) return terminate(body);
    if (pathname === `${api}/processes/instanceIds/query`) {
      const mine = [...instances.values()].filter(({ originator }) => originator === String(body.userIds));
      return ok({ result: { list: mine.map(({ id }) => id) }, success: true });
    }
    const found = instances.get(searchParams.get("processInstanceId") ?? "");
    return found === undefined
      ? fails(400, "processInstanceNotFound", "unknown")
      : ok({ result: found, success: "true" });
  };
  const server = await startVendorServer((request) => {
    const { path, body, headers } = request;
    if (path === "/v1.0/oauth2/accessToken") {
      if (body.appKey !== dingtalkApp.app_id || body.appSecret !== dingtalkApp.app_secret)
        return fails(400, "invalidClientIdOrSecret", "wrong");
      const accessToken = randomBytes(6).toString("hex");
      tokens.add(accessToken);
      return ok({ accessToken, expireIn: 7200 });
    }
    if (!tokens.has(String(headers["x-acs-dingtalk-access-token"])))
      return fails(401, "InvalidAuthentication", "the token counts no more");
    const at = next.findIndex((one) => path.split("?")[0] === one.path && request.method === "POST");
    if (at < 0) return usual(request);
    const [given] = next.splice(at, 1);
    if (given?.doesIt) usual(request);
    return given?.reply ?? "drop";
  });
  return { ...server, instances, next, forgetTokens: () => tokens.clear() };
}
