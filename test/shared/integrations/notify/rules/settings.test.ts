import { describe, expect, test } from "vitest";
import { destinationOf } from "../../../../../shared/integrations/notify/rules/destination.ts";
import { notifyCtl } from "../../../../../shared/integrations/notify/rules/notifyCtl.ts";
import { notifyInput, withNotifyInputs } from "../../../../../shared/integrations/notify/rules/notifyInputs.ts";

const resolving = {
  render: (expression: string) => (expression === "{{.workflow.params.who}}" ? "a@example.com, ou_1" : ""),
  creator: { id: "u1", email: "ada@example.com" },
  stageExecutors: ["bob@example.com", "", "ada@example.com"],
};
const read = (ctl: object) => notifyCtl.parse({ enabled: true, notify_type: ["created"], ...ctl });
const destination = (ctl: object) => destinationOf(read(ctl), resolving);

describe("a setting", () => {
  test("keeps every field it was sent with, known or not", () => {
    const sent = {
      enabled: true,
      webhook_type: "dingding",
      notify_type: ["created"],
      dingding_notification_config: { hook_address: "https://x", at_mobiles: null, future: { a: 1 } },
      other_field: [1, { b: null }],
    };
    expect(notifyCtl.parse(sent)).toEqual(sent);
  });

  test("that is enabled needs a known type, a disabled one does not", () => {
    const wrong = notifyCtl.safeParse({ enabled: true, webhook_type: "pager", notify_type: [] });
    expect(wrong.error?.issues).toMatchObject([
      {
        path: ["webhook_type"],
        message: "must be one of feishu, feishu_app, feishu_person, dingding, wechat, msteams, mail, webhook",
      },
    ]);
    expect(notifyCtl.parse({ enabled: false, webhook_type: "" }).notify_type).toEqual([]);
  });
});

describe("the older flat fields", () => {
  test.each<[string, object, object]>([
    [
      "feishu",
      { feishu_webhook: "https://f", lark_user_ids: ["a"], is_at_all: true },
      { hookAddress: "https://f", atUsers: ["a"], isAtAll: true },
    ],
    [
      "feishu_app",
      { feishu_app_id: "app", feishu_chat: { chat_id: "oc_1" }, lark_at_users: [{ id: "ou_9", name: "Z" }] },
      { appId: "app", chatId: "oc_1", atUsers: [{ id: "ou_9", idType: "open_id", name: "Z" }], isAtAll: false },
    ],
    [
      "feishu_person",
      { feishu_app_id: "app", lark_at_users: [{ id: "7", id_type: "user_id" }] },
      { appId: "app", targets: [{ id: "7", idType: "user_id", name: "" }] },
    ],
    [
      "dingding",
      { dingding_webhook: "https://d", at_mobiles: ["123"] },
      { hookAddress: "https://d", atMobiles: ["123"], isAtAll: false },
    ],
    [
      "wechat",
      { weChat_webHook: "https://w", wechat_user_ids: ["u"] },
      { hookAddress: "https://w", atUsers: ["u"], isAtAll: false },
    ],
    [
      "mail",
      { mail_users: [{ type: "email", user_name: "x@example.com" }] },
      { targets: [{ kind: "address", address: "x@example.com" }] },
    ],
    [
      "webhook",
      { webhook_notify: { address: "https://h", token: "t" } },
      { address: "https://h", token: "t", secret: "" },
    ],
  ])("of %s stand in for an absent configuration object", (type, fields, expected) => {
    expect(destination({ webhook_type: type, ...fields })).toEqual({ type, ...expected });
  });

  test("count for nothing beside the configuration object", () => {
    const found = destination({
      webhook_type: "webhook",
      webhook_notify: { address: "https://old", token: "old" },
      webhook_notification_config: { address: "https://new" },
    });
    expect(found).toEqual({ type: "webhook", address: "https://new", token: "", secret: "" });
  });
});

describe("recipients", () => {
  test("from variables are split, told apart and not repeated", () => {
    const dynamic_recipients = ["{{.workflow.params.who}}", "{{.workflow.params.none}}"];
    expect(
      destination({
        webhook_type: "feishu_person",
        lark_person_notification_config: { app_id: "a", target_users: [{ id: "ou_1" }], dynamic_recipients },
      }),
    ).toEqual({
      type: "feishu_person",
      appId: "a",
      targets: [
        { id: "ou_1", idType: "open_id", name: "" },
        { id: "a@example.com", idType: "email", name: "" },
      ],
    });
    const users = [{ is_executor: true }, { is_stage_executor: true, id: "ignored" }];
    const config = { app_id: "a", chat: { chat_id: "c" }, at_users: users };
    expect(destination({ webhook_type: "feishu_app", lark_group_notification_config: config })).toMatchObject({
      atUsers: [
        { id: "ada@example.com", idType: "email" },
        { id: "bob@example.com", idType: "email" },
      ],
    });
    expect(destination({ webhook_type: "mail", mail_notification_config: { dynamic_recipients } })).toEqual({
      type: "mail",
      targets: [
        { kind: "address", address: "a@example.com" },
        { kind: "user", userId: "ou_1", account: "ou_1" },
      ],
    });
  });

  test("of a mail are users, groups, whoever started the task, and addresses", () => {
    const target_users = [
      { type: "user", user_id: "u7", user_name: "bob" },
      { user_id: "u8" },
      { type: "group", group_id: "g1" },
      { type: "task_creator" },
      { type: "email", user_name: "x@example.com" },
    ];
    expect(destination({ webhook_type: "mail", mail_notification_config: { target_users } })).toEqual({
      type: "mail",
      targets: [
        { kind: "user", userId: "u7", account: "bob" },
        { kind: "user", userId: "u8", account: "" },
        { kind: "group", groupId: "g1" },
        { kind: "address", address: "ada@example.com" },
        { kind: "address", address: "x@example.com" },
      ],
    });
  });
});

describe("notify_inputs", () => {
  const inputs = (...list: object[]) => list.map((input) => notifyInput.parse(input));
  const dingding = read({
    webhook_type: "dingding",
    dingding_notification_config: { hook_address: "https://d", at_mobiles: ["1"], is_at_all: true },
  });

  test("replace the recipients completely and never the address", () => {
    const [changed] = withNotifyInputs(
      [dingding],
      inputs({
        id: 0,
        type: "dingding",
        dingding_notification_config: { at_mobiles: ["2"], hook_address: "https://evil" },
      }),
    );
    expect(changed?.dingding_notification_config).toEqual({
      hook_address: "https://d",
      at_mobiles: ["2"],
      dynamic_recipients: [],
      is_at_all: false,
    });
  });

  test("of another type or an unknown place change nothing; enabled toggles", () => {
    expect(
      withNotifyInputs([dingding], inputs({ id: 0, type: "mail", enabled: false }, { id: 4, type: "dingding" })),
    ).toEqual([dingding]);
    expect(withNotifyInputs([dingding], inputs({ id: 0, type: "dingding", enabled: false }))).toEqual([
      { ...dingding, enabled: false },
    ]);
  });

  test("set the chat of an app and the people of a mail, where users win over user_ids", () => {
    const group = read({
      webhook_type: "feishu_app",
      lark_group_notification_config: { app_id: "a", chat: { chat_id: "old", chat_name: "Old" } },
    });
    const mail = read({ webhook_type: "mail", mail_users: [{ user_id: "u1" }] });
    const [first, second, third] = withNotifyInputs(
      [group, mail, mail],
      inputs(
        { id: 0, type: "feishu_app", lark_group_notification_config: { chat_id: "new", at_users: [{ id: "ou_1" }] } },
        { id: 1, type: "mail", mail_notification_config: { user_ids: ["u2"] } },
        {
          id: 2,
          type: "mail",
          mail_notification_config: { user_ids: ["u2"], users: [{ type: "email", user_name: "x@y.z" }] },
        },
      ),
    );
    expect(first?.lark_group_notification_config).toMatchObject({
      app_id: "a",
      chat: { chat_id: "new" },
      at_users: [{ id: "ou_1" }],
    });
    expect(second?.mail_notification_config).toMatchObject({ target_users: [{ type: "user", user_id: "u2" }] });
    expect(third?.mail_notification_config).toMatchObject({ target_users: [{ type: "email", user_name: "x@y.z" }] });
  });

  test("never change the address of a setting with the older flat fields", () => {
    const older = read({ webhook_type: "wechat", weChat_webHook: "https://w", wechat_user_ids: ["a"] });
    const changed = withNotifyInputs(
      [older],
      inputs({ id: 0, type: "wechat", wechat_notification_config: { at_users: ["b"] } }),
    );
    expect(changed.map((ctl) => destinationOf(ctl, resolving))).toEqual([
      { type: "wechat", hookAddress: "https://w", atUsers: ["b"], isAtAll: false },
    ]);
  });

  test("refuse a dynamic recipient that is no variable with 6160", () => {
    const wrong = { id: 0, type: "dingding", dingding_notification_config: { dynamic_recipients: ["bob"] } };
    expect(() => withNotifyInputs([dingding], inputs(wrong))).toThrow(
      /6160 notify_inputs\[0\]: "bob" is not a dynamic/,
    );
  });
});
