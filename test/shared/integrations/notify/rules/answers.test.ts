import { expect, test } from "vitest";
import { goDurationText } from "../../../../../shared/base/common/goDurationText.ts";
import type { WebhookType } from "../../../../../shared/integrations/notify/rules/channels/channels.ts";
import { answerProblem } from "../../../../../shared/integrations/notify/sendDelivery.ts";

test.each<[WebhookType, number, string, string | undefined]>([
  ["webhook", 200, "", undefined],
  ["webhook", 204, "anything", undefined],
  ["webhook", 399, "", "answered HTTP 399; redirects are not followed, give the address itself"],
  ["webhook", 400, "", "answered HTTP 400"],
  ["webhook", 503, "", "answered HTTP 503"],
  ["msteams", 202, "1", undefined],
  ["dingding", 200, '{"errcode":0,"errmsg":"ok"}', undefined],
  [
    "dingding",
    200,
    '{"errcode":310000,"errmsg":"keywords not in content"}',
    "answered code 310000: keywords not in content",
  ],
  ["dingding", 200, "ok", "answered without errcode 0"],
  ["wechat", 200, '{"errcode":93000,"errmsg":"invalid webhook url"}', "answered code 93000: invalid webhook url"],
  ["wechat", 200, "", undefined],
  ["feishu", 200, '{"code":19001,"msg":"param invalid"}', "answered code 19001: param invalid"],
  ["feishu", 200, '{"StatusCode":0,"StatusMessage":"success"}', undefined],
])("%s answering %i %s: %s", (type, status, body, expected) => {
  expect(answerProblem(type, { status, body })).toBe(expected);
});

test.each([
  [0, "0s"],
  [-5, "0s"],
  [59.9, "59s"],
  [65, "1m5s"],
  [3600, "1h0m0s"],
  [90_061, "25h1m1s"],
])("%d seconds are %s", (seconds, text) => {
  expect(goDurationText(seconds)).toBe(text);
});
