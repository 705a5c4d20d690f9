import * as z from "zod";
import { defineRoute } from "../../../../shared/http/route.ts";

/** The signature alone identifies the caller; what a callback leads to is in the log of the plan. */
const common = {
  tag: "Approvals at chat services",
  permission: { kind: "public" },
  params: z.object({ id: z.string() }),
  errorStatuses: [403],
} as const;

const part = z.string().optional();
/** Of DingTalk and WeCom, beside `encrypt`. */
const signed = { timestamp: part, nonce: part, signature: part, msg_signature: part };
/** Words that the service waits for; the body is read by its own signature's check. */
const ofWorkwx = { ...common, path: "/api/aslan/system/workwx/:id/webhook", response: z.string() } as const;

export const approvalCallbackRoutes = {
  hearLark: defineRoute({
    ...common,
    ...({ method: "POST", reads: true } as const),
    path: "/api/aslan/system/lark/:id/webhook",
    summary: "Hear from Feishu or Lark that something is new about an approval, and answer its check of the address",
    body: z.looseObject({}).meta({ description: "`{encrypt}`, signed, as the chat service sends it" }),
    response: z.looseObject({ challenge: z.string().optional() }),
  }),
  hearDingtalk: defineRoute({
    ...common,
    ...({ method: "POST", reads: true } as const),
    path: "/api/aslan/system/dingtalk/:id/webhook",
    summary: "Hear from DingTalk that something is new about an approval, and answer its check of the address",
    query: z.object(signed),
    body: z.looseObject({}).meta({ description: "`{encrypt}`, signed in the query, as the chat service sends it" }),
    response: z.object({ msg_signature: z.string(), timeStamp: z.string(), nonce: z.string(), encrypt: z.string() }),
  }),
  checkWorkwx: defineRoute({
    ...ofWorkwx,
    method: "GET",
    summary: "Answer WeCom's check of the address",
    query: z.object({ ...signed, echostr: part }),
    responseType: "text",
  }),
  hearWorkwx: defineRoute({
    ...ofWorkwx,
    ...({ method: "POST", reads: true } as const),
    summary: "Hear from WeCom that something is new about an approval",
    query: z.object(signed),
    body: z
      .looseObject({})
      .meta({ description: "XML, encrypted and signed in the query, as the chat service sends it" }),
    readBody: { mediaType: "text/xml", read: () => ({}) },
    responseType: "text",
  }),
};
