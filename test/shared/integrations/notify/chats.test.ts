import { afterAll, beforeAll, expect, test } from "vitest";
import { sendNotificationJob } from "../../../../shared/integrations/notify/sendNotificationJob.ts";
import { type HookReceiver, startHookReceiver } from "../../../harness/hookReceiver.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { ended, freshNotice, tell } from "./deliveries.ts";

let slipway: Slipway;
let chat: HookReceiver;
const tokenPath = "/open-apis/auth/v3/tenant_access_token/internal";
const messagesPath = (idType: string) => `/open-apis/im/v1/messages?receive_id_type=${idType}`;

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  chat = await startHookReceiver((path) => {
    if (path === tokenPath) return JSON.stringify({ code: 0, tenant_access_token: "TENANT" });
    return JSON.stringify({ code: 0, errcode: 0 });
  });
  const app = { type: "feishu", app_id: "cli_1", app_secret: "APPSECRET", address: chat.url };
  await slipway.call("POST", "/api/aslan/system/im-apps", { body: app });
});

afterAll(async () => {
  await slipway.close();
  await chat.close();
});

test("a card that arrived is not sent again when the mention after it fails", async () => {
  const notice = freshNotice();
  chat.next.push({ status: 200 }, { status: 500 });
  const config = { hook_address: `${chat.url}/bot/v2/hook/f`, at_users: ["ou_1"] };
  await tell(notice, [{ webhook_type: "feishu", lark_hook_notification_config: config }]);
  const calls = await chat.receivedOn("/bot/v2/hook/f", 3);
  expect(calls.map(({ body }) => JSON.parse(body).msg_type)).toEqual(["interactive", "text", "text"]);
  expect(await ended(notice, 1)).toMatchObject([{ status: "sent", partsSent: 2 }]);
});

test("a robot that answers 200 with a code of its own did not get it", async () => {
  const notice = freshNotice();
  const refused = { status: 200, body: '{"errcode":310000,"errmsg":"keywords not in content"}' };
  chat.next.push(refused, refused, refused);
  await tell(notice, [{ webhook_type: "dingding", dingding_webhook: `${chat.url}/ding` }]);
  const [delivery] = await ended(notice, 1);
  expect(delivery).toMatchObject({ status: "failed", type: "dingding" });
  expect(delivery?.tries.at(-1)?.problem).toBe("answered code 310000: keywords not in content");
});

test.each([
  ["wechat", "wechat_notification_config"],
  ["msteams", "msteams_notification_config"],
  ["dingding", "dingding_notification_config"],
])("%s gets its message and no headers of webhooks", async (type, field) => {
  const notice = freshNotice();
  await tell(notice, [{ webhook_type: type, [field]: { hook_address: `${chat.url}/${type}` } }]);
  const [call] = await chat.receivedOn(`/${type}`, 1);
  expect(call?.body).toContain("Ship the shop");
  expect(Object.keys(call?.headers ?? {}).filter((name) => name.startsWith("x-"))).toEqual([]);
  expect(await ended(notice, 1)).toMatchObject([{ type, status: "sent" }]);
});

test("an app sends to its chat and to each person, with the secret of the settings and an id that repetitions keep", async () => {
  const notice = freshNotice();
  await tell(
    notice,
    [
      {
        webhook_type: "feishu_app",
        lark_group_notification_config: { app_id: "cli_1", chat: { chat_id: "oc_1" }, at_users: [{ id: "ou_9" }] },
      },
      {
        webhook_type: "feishu_person",
        lark_person_notification_config: {
          ...{ app_id: "cli_1", target_users: [{ id: "ou_1" }, { is_executor: true }] },
          dynamic_recipients: ["{{.workflow.params.who}}"],
        },
      },
    ],
    { render: () => "u_5" },
  );
  const deliveries = await ended(notice, 4);
  expect(deliveries.map(({ target }) => target)).toEqual([
    "chat oc_1",
    "email ada@example.com",
    "open_id ou_1",
    "user_id u_5",
  ]);
  expect(deliveries.every(({ status }) => status === "sent")).toBe(true);
  const [token] = await chat.receivedOn(tokenPath, 1);
  expect(JSON.parse(token?.body ?? "")).toEqual({ app_id: "cli_1", app_secret: "APPSECRET" });
  const group = await chat.receivedOn(messagesPath("chat_id"), 2);
  expect(group.map(({ body }) => JSON.parse(body).msg_type)).toEqual(["interactive", "text"]);
  expect(JSON.parse(group[1]?.body ?? "")).toMatchObject({
    receive_id: "oc_1",
    content: JSON.stringify({ text: '<at user_id="ou_9"></at>' }),
  });
  expect(new Set(group.map(({ body }) => JSON.parse(body).uuid)).size).toBe(2);
  expect(group[0]?.headers.authorization).toBe("Bearer TENANT");
  const [byMail] = await chat.receivedOn(messagesPath("email"), 1);
  expect(JSON.parse(byMail?.body ?? "").receive_id).toBe("ada@example.com");
});

test("an app that is not in the settings fails with a sentence that says where to add it", async () => {
  const notice = freshNotice();
  const config = { app_id: "cli_2", chat: { chat_id: "oc_1" } };
  await tell(notice, [{ webhook_type: "feishu_app", lark_group_notification_config: config }]);
  const problem = "there is no chat app cli_2 of type feishu; add it at /api/aslan/system/im-apps";
  expect(await ended(notice, 1)).toMatchObject([{ status: "failed", tries: [{ problem }] }]);
});

test("a notification job sends its own title and content once, and says why it failed", async () => {
  const notice = freshNotice();
  const spec = (type: string, path: string) => ({
    webhook_type: type,
    wechat_notification_config: { hook_address: chat.url + path },
    webhook_notification_config: { address: chat.url + path },
  });
  const job = (name: string, type: string, path: string) => ({
    ...{
      jobName: name,
      tryName: `${name}-0`,
      spec: spec(type, path),
      title: "Released",
      content: "**2.0**\n- fast",
      render: () => "",
    },
  });
  expect(await sendNotificationJob(notice, job("job-0-0-0-tell", "wechat", "/job"))).toBe("");
  expect(await sendNotificationJob(notice, job("job-0-0-0-tell", "wechat", "/job"))).toBe("");
  const calls = await chat.receivedOn("/job", 1);
  expect(calls.map(({ body }) => JSON.parse(body).markdown.content)).toEqual([
    expect.stringMatching(/^### Released\n\n\*\*2\.0\*\*\n- fast\n\n\[/),
  ]);
  expect(await sendNotificationJob(notice, job("job-1", "webhook", "/job"))).toMatch(/cannot send to webhook/);
  expect(await sendNotificationJob(notice, job("job-2", "pager", "/job"))).toMatch(/webhook_type: must be one of/);
  const lost = { ...job("job-3", "wechat", ""), spec: { webhook_type: "wechat", weChat_webHook: "https://10.1.1.1/" } };
  expect(await sendNotificationJob(notice, lost)).toMatch(/^wechat to 10\.1\.1\.1: 10\.1\.1\.1: .*not allowed/);
});
