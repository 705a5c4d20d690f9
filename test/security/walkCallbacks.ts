import { callbackKeys, envelopeOf } from "../harness/envelopes.ts";
import { larkApp, larkCallback } from "../harness/larkServer.ts";
import type { Call } from "./walk.ts";

/** Callbacks of chat services: what they ask before they call, and one about an approval that nobody asked for. */
export async function walkCallbacks(call: Call): Promise<void> {
  const of = (vendor: string) => `/api/aslan/system/${vendor}/{id}/webhook`;
  const add = async (type: string, keys: object) => {
    const app = { type, app_id: `walk-${type}`, app_secret: "app-secret", template_id: "form", ...keys };
    return { id: (await call<{ id: string }>("POST /api/aslan/system/im-apps", { body: app })).id };
  };
  const { encrypt_key, verification_token } = larkApp;
  const { body: text, headers } = larkCallback({ type: "url_verification", challenge: "4711" });
  const params = await add("lark_intl", { encrypt_key, verification_token });
  await call(`POST ${of("lark")}`, { params, text, headers });

  const dingtalk = envelopeOf(JSON.stringify({ EventType: "check_url" }), "walk-dingtalk");
  await call(`POST ${of("dingtalk")}`, {
    params: await add("dingtalk", callbackKeys),
    query: { timestamp: dingtalk.timestamp, nonce: dingtalk.nonce, signature: dingtalk.signature },
    body: { encrypt: dingtalk.encrypted },
  });

  const workwx = await add("workwx", callbackKeys);
  const signed = (text: string) => {
    const { timestamp, nonce, encrypted, signature } = envelopeOf(text, "walk-workwx");
    return { encrypted, query: { timestamp, nonce, msg_signature: signature } };
  };
  const check = signed("4711");
  await call(`GET ${of("workwx")}`, { params: workwx, query: { ...check.query, echostr: check.encrypted } });
  const told = signed("<xml><Event>sys_approval_change</Event><ApprovalInfo><SpNo>1</SpNo></ApprovalInfo></xml>");
  await call(`POST ${of("workwx")}`, {
    params: workwx,
    query: told.query,
    headers: { "content-type": "text/xml" },
    text: `<xml><Encrypt><![CDATA[${told.encrypted}]]></Encrypt></xml>`,
  });
}
