import { NotDelivered } from "./notDelivered.ts";
import { postJson } from "./post.ts";

const ownAddress = "https://open.feishu.cn";

export interface FeishuApp {
  appId: string;
  appSecret: string;
  /** Of another installation of the service, such as https://open.larksuite.com; empty: Feishu's own. */
  address: string;
}

export interface FeishuMessage {
  receiver: { id: string; idType: string };
  kind: "interactive" | "text";
  /** JSON. */
  content: string;
  /** Feishu drops a message whose id it saw within the last hour; at most 50 characters. */
  uuid: string;
}

/**
 * Sends a message as an app. Interfaces: https://open.feishu.cn/document/server-docs/im-v1/message/create and
 * https://open.feishu.cn/document/server-docs/authentication-management/access-token/tenant_access_token_internal
 * @throws NotDelivered
 */
export async function sendAsFeishuApp(app: FeishuApp, message: FeishuMessage): Promise<void> {
  const base = (app.address === "" ? ownAddress : app.address).replace(/\/+$/, "");
  const token = await tenantToken(base, app);
  const { receiver, kind, content, uuid } = message;
  const body = JSON.stringify({ receive_id: receiver.id, msg_type: kind, content, uuid });
  const path = `/open-apis/im/v1/messages?receive_id_type=${encodeURIComponent(receiver.idType)}`;
  readAnswer("the message", await postJson(base + path, body, { authorization: `Bearer ${token}` }));
}

async function tenantToken(base: string, { appId, appSecret }: FeishuApp): Promise<string> {
  const body = JSON.stringify({ app_id: appId, app_secret: appSecret });
  const answer = await postJson(`${base}/open-apis/auth/v3/tenant_access_token/internal`, body);
  const { tenant_access_token: token } = readAnswer("the app's credentials", answer);
  if (typeof token === "string" && token !== "") return token;
  throw new NotDelivered("the chat service's answer has no token", { isWorthAnother: true });
}

function readAnswer(what: string, { status, body }: { status: number; body: string }): Record<string, unknown> {
  const answer = parsed(body);
  if (status < 300 && answer?.code === 0) return answer;
  const reason = typeof answer?.msg === "string" ? `: ${answer.msg.slice(0, 200)}` : "";
  const code = typeof answer?.code === "number" ? `code ${answer.code}` : `HTTP ${status}`;
  throw new NotDelivered(`the chat service refused ${what} with ${code}${reason}`, { isWorthAnother: true });
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
