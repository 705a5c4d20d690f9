import { randomBytes } from "node:crypto";
import { startVendorServer, type VendorReply, type VendorRequest, type VendorServer } from "./vendorServer.ts";

interface Sheet {
  sp_no: string;
  sp_status: number;
  template_id: string;
  creator: string;
  apply_data: unknown;
  sp_record: object[];
}

export const workwxApp = {
  type: "workwx",
  app_id: "ww4711",
  app_secret: "workwx-secret-4711",
  template_id: "3TkaWork",
};

/** What WeCom's interface says about approvals; failures come with status 200 and a code of their own. */
export interface WorkwxStandIn extends VendorServer {
  sheets: Map<string, Sheet>;
  /** Answers of the next calls of a path, in the place of the usual ones. */
  next: { path: string; reply: VendorReply; doesIt?: boolean }[];
  forgetTokens(): void;
}

export async function startWorkwxServer(): Promise<WorkwxStandIn> {
  const sheets: WorkwxStandIn["sheets"] = new Map();
  const tokens = new Set<string>();
  const next: WorkwxStandIn["next"] = [];
  const ok = (more: object = {}): VendorReply => ({ status: 200, body: { errcode: 0, errmsg: "ok", ...more } });
  const fails = (errcode: number, errmsg: string): VendorReply => ({ status: 200, body: { errcode, errmsg } });
  const control = (id: string, type: string, require: number) => {
    return { property: { control: type, id, title: [{ text: id, lang: "zh_CN" }], require } };
  };
  const controls = [control("Text-1", "Text", 1), control("Date-2", "Date", 0), control("Textarea-3", "Textarea", 0)];

  const apply = ({ creator_userid, template_id, apply_data }: Record<string, unknown>): VendorReply => {
    const sp_no = `2026${sheets.size + 1}`;
    const fresh = { sp_status: 1, template_id: String(template_id), creator: String(creator_userid), sp_record: [] };
    sheets.set(sp_no, { sp_no, ...fresh, apply_data });
    return ok({ sp_no });
  };
  const list = ({ filters }: Record<string, unknown>): VendorReply => {
    const wanted = Object.fromEntries(
      (filters as { key: string; value: string }[]).map(({ key, value }) => [key, value]),
    );
    const found = [...sheets.values()].filter(
      (one) => one.template_id === wanted.template_id && one.creator === wanted.creator,
    );
    return ok({ sp_no_list: found.map(({ sp_no }) => sp_no), new_next_cursor: "" });
  };
  const usual = ({ path, body }: VendorRequest): VendorReply => {
    switch (path.split("?")[0]) {
      case "/cgi-bin/oa/gettemplatedetail":
        return body.template_id === workwxApp.template_id
          ? ok({ template_content: { controls } })
          : fails(301025, "get approval param error");
      case "/cgi-bin/oa/applyevent":
        return apply(body);
      case "/cgi-bin/oa/getapprovalinfo":
        return list(body);
      case "/cgi-bin/oa/getapprovaldetail": {
        const info = sheets.get(String(body.sp_no));
        return info === undefined ? fails(301025, "get approval param error") : ok({ info });
      }
      default:
        return { status: 404, body: {} };
    }
  };
  const server = await startVendorServer((request) => {
    const { searchParams, pathname } = new URL(request.path, "http://workwx");
    if (pathname === "/cgi-bin/gettoken") {
      const isRight =
        searchParams.get("corpid") === workwxApp.app_id && searchParams.get("corpsecret") === workwxApp.app_secret;
      if (!isRight) return fails(40001, "invalid credential");
      const access_token = randomBytes(6).toString("hex");
      tokens.add(access_token);
      return ok({ access_token, expires_in: 7200 });
    }
    if (!tokens.has(searchParams.get("access_token") ?? "")) return fails(42001, "access_token expired");
    const at = next.findIndex(({ path }) => path === pathname);
    if (at < 0) return usual(request);
    const [given] = next.splice(at, 1);
    if (given?.doesIt) usual(request);
    return given?.reply ?? "drop";
  });
  return { ...server, sheets, next, forgetTokens: () => tokens.clear() };
}
