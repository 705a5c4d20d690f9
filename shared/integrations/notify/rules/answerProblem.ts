import type { Delivery } from "../store/deliveries.ts";

/**
 * Why an answer of a hook means that the message did not arrive; undefined when it did (contract W 15.3, 15.5, 15.6). Chat
 * services answer 200 with a code of their own. Redirects are not followed.
 */
export function answerProblem(
  type: Delivery["type"],
  { status, body }: { status: number; body: string },
): string | undefined {
  if (type === "callback" && status !== 200) return `answered HTTP ${status}; only 200 counts`;
  if (status >= 400) return `answered HTTP ${status}`;
  if (status >= 300) return `answered HTTP ${status}; redirects are not followed, give the address itself`;
  const { code, text } = codeOf(type, body);
  if (code === 0 || (code === undefined && type !== "dingding")) return undefined;
  if (code === undefined) return "answered without errcode 0";
  return text === "" ? `answered code ${code}` : `answered code ${code}: ${text.slice(0, 200)}`;
}

function codeOf(type: Delivery["type"], body: string): { code: number | undefined; text: string } {
  const answer = objectOf(body);
  const number = (value: unknown) => (typeof value === "number" ? value : undefined);
  const textOf = (value: unknown) => (typeof value === "string" ? value : "");
  if (type === "dingding" || type === "wechat") return { code: number(answer.errcode), text: textOf(answer.errmsg) };
  if (type === "feishu" || type === "feishu_app" || type === "feishu_person")
    return { code: number(answer.code) ?? number(answer.StatusCode), text: textOf(answer.msg) };
  return { code: undefined, text: "" };
}

function objectOf(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
