import { parsedJson } from "../../../base/common/parsedJson.ts";
import type { Delivery } from "../store/deliveries.ts";
import type { Channel } from "./channels/channel.ts";
import { channels, isWebhookType } from "./channels/channels.ts";

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
  return isWebhookType(type) ? codeProblem(channels[type], body) : undefined;
}

function codeProblem({ answerCode, mustHaveCode }: Channel, body: string): string | undefined {
  const { code, text } = answerCode?.(objectOf(body)) ?? { code: undefined, text: "" };
  if (code === 0 || (code === undefined && !mustHaveCode)) return undefined;
  if (code === undefined) return "answered without errcode 0";
  return text === "" ? `answered code ${code}` : `answered code ${code}: ${text.slice(0, 200)}`;
}

function objectOf(body: string): Record<string, unknown> {
  const value = parsedJson(body);
  return typeof value === "object" && value !== null ? { ...value } : {};
}
