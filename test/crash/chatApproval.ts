import type { Caller } from "../harness/boutique.ts";
import { larkApp, larkCallback, larkEvent } from "../harness/larkServer.ts";
import { waitFor } from "../harness/waitFor.ts";
import type { Outside } from "./outside.ts";
import { succeed } from "./scenario.ts";

const apps = "/api/aslan/system/im-apps";

/**
 * Who was killed while it asked counts as asking for two minutes, and a callback whose hearer was killed is made up for by
 * the first look, after five.
 */
export const chatSeconds = 400;

/** The chat service as the settings know it. @returns what an approval of type `lark` asks there */
export async function connectChatService(slipway: Caller, { lark }: Outside): Promise<object> {
  const body = { ...larkApp, type: "feishu", address: lark.url };
  const { json } = await slipway.call<{ id: string }>("POST", apps, { body });
  const person = (id: string) => ({ id: `ou_${id}`, name: id });
  const approval_nodes = [
    { type: "AND", approve_users: [person("kim")] },
    { type: "OR", approve_users: [person("sam")] },
  ];
  return { approval_id: json.id, default_approval_initiator: person("lee"), approval_nodes };
}

/**
 * People approve there as soon as they are asked, also when whoever asked has not noted it yet; the service says so
 * until somebody has heard it, and not again.
 */
export async function approveThere(slipway: Caller, { lark, told }: Outside): Promise<void> {
  const asked = await waitFor("the question", async () => [...lark.instances.values()].at(-1), chatSeconds);
  const code = asked.instance_code;
  if (asked.status === "PENDING") lark.decide(code, "APPROVED", { who: "ou_kim", type: "PASS" });
  if (told.has(code)) return;
  const app = (await slipway.call<{ id: string }[]>("GET", apps)).json[0]?.id;
  const { body, headers } = larkCallback(larkEvent(code, "APPROVED"));
  const sent = { token: null, body, headers: { ...headers, "content-type": "application/json" } };
  await succeed(slipway.call("POST", `/api/aslan/system/lark/${app}/webhook`, sent));
  told.add(code);
}
