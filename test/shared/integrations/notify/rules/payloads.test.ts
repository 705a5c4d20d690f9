import { describe, expect, test } from "vitest";
import type { ReadyDestination } from "../../../../../shared/integrations/notify/rules/channels/channels.ts";
import type { NoticeEvent } from "../../../../../shared/integrations/notify/rules/firingCtls.ts";
import { plannedDeliveries } from "../../../../../shared/integrations/notify/rules/plannedDeliveries.ts";
import { taskMessage } from "../../../../../shared/integrations/notify/rules/taskMessage.ts";
import type { TaskNotice } from "../../../../../shared/integrations/notify/rules/taskNotice.ts";
import { webhookPayload } from "../../../../../shared/integrations/notify/rules/webhookPayload.ts";
import { build, noticeWith, taskPage } from "./notices.ts";

const english = "Click for More Information";
const chinese = "\u70b9\u51fb\u67e5\u770b\u66f4\u591a\u4fe1\u606f";

/** What is sent to the hook, in order. */
function sent(destination: ReadyDestination, notice: TaskNotice = noticeWith(), event: NoticeEvent = "failed") {
  const planned = plannedDeliveries(destination, taskMessage(notice, event), () =>
    webhookPayload(notice, event, "workflow"),
  );
  return planned.flatMap(({ parts }) => parts.map((part) => (part.via === "hook" ? JSON.parse(part.body) : part)));
}

describe("webhook", () => {
  const webhook = { type: "webhook", address: "https://h.example.com/x", token: "t", secret: "" } as const;

  test("has the fields of contract W 15.3 and no others", () => {
    expect(sent(webhook)).toEqual([
      {
        object_kind: "workflow",
        event: "workflow",
        workflow: {
          task_id: 42,
          project_name: "shop",
          project_display_name: "Web Shop",
          workflow_name: "ship-shop",
          workflow_display_name: "Ship the shop",
          status: "failed",
          remark: "hotfix",
          detail_url:
            "https://slipway.example.com/v1/projects/detail/shop/pipelines/custom/ship-shop?display_name=Ship%20the%20shop",
          error: "",
          create_time: 1_700_000_000,
          start_time: 1_700_000_000,
          end_time: 1_700_000_065,
          stages: [
            {
              name: "build",
              status: "passed",
              start_time: 1_700_000_010,
              end_time: 1_700_000_040,
              error: "",
              jobs: [
                {
                  name: "job-0-0-0-build",
                  display_name: "build-checkout-api",
                  type: "zadig-build",
                  status: "passed",
                  start_time: 1_700_000_010,
                  end_time: 1_700_000_040,
                  error: "",
                  spec: {
                    repositories: [
                      {
                        source: "github",
                        repo_owner: "acme",
                        repo_namespace: "acme",
                        repo_name: "checkout",
                        branch: "main",
                        prs: [7, 3],
                        tag: "",
                        author_name: "Ada",
                        commit_id: "0123456789abcdef0123456789abcdef01234567",
                        commit_url: "https://github.com/acme/checkout/commit/0123456789abcdef0123456789abcdef01234567",
                        commit_message: "fix: rounding",
                      },
                      {
                        source: "gitlab",
                        repo_owner: "acme",
                        repo_namespace: "acme/tools",
                        repo_name: "scripts",
                        branch: "dev",
                        prs: [],
                        tag: "",
                        author_name: "",
                        commit_id: "fedcba",
                        commit_url: "",
                        commit_message: "",
                      },
                    ],
                    image: "registry.example.com/shop/api:1",
                  },
                },
              ],
            },
            {
              name: "deploy",
              status: "failed",
              start_time: 1_700_000_040,
              end_time: 1_700_000_060,
              error: "",
              jobs: [
                {
                  name: "job-1-0-0-deploy",
                  display_name: "deploy-checkout",
                  type: "zadig-deploy",
                  status: "failed",
                  start_time: 1_700_000_040,
                  end_time: 1_700_000_060,
                  error: "not ready",
                  spec: {
                    env: "dev",
                    service_name: "checkout",
                    service_modules: [{ service_module: "api", image: "registry.example.com/shop/api:1" }],
                  },
                },
              ],
            },
          ],
          task_creator: "Ada",
          task_creator_id: "u1",
          task_creator_email: "ada@example.com",
          task_type: "workflow",
        },
        release_plan: null,
      },
    ]);
  });

  test("before an approval has no stages and an empty task type", () => {
    const [{ workflow }] = sent(webhook, noticeWith({ status: "running" }), "wait_for_approval");
    expect(workflow).toMatchObject({ status: "running", stages: null, task_type: "" });
  });

  test.each([
    ["failed", "registry.example.com/shop/api:1"],
    ["passed", "{{.job.build.IMAGE}}"],
  ])("hides the image of a build that is %s with image %s", (status, image) => {
    const job = { ...build, status, spec: { kind: "build", image, repositories: [] } } as const;
    const stages = [{ name: "s", status, startTime: 0, endTime: 0, error: "", jobs: [job] }];
    const [{ workflow }] = sent(webhook, noticeWith({ stages }));
    expect(workflow.stages[0].jobs[0].spec).toEqual({ repositories: [], image: "" });
  });

  test.each([
    ["scan", "zadig-scanning-shop:lint", "lint", "/scanner/detail/lint/task/42?id=abc"],
    ["test", "zadig-testing-shop:smoke", "smoke", "/test/detail/function/smoke/42"],
  ] as const)("of a %s leads to its task", (taskType, key, displayName, path) => {
    const [{ workflow }] = sent(webhook, noticeWith({ taskType, workflow: { id: "abc", key, displayName } }));
    expect(workflow.detail_url).toBe(`https://slipway.example.com/v1/projects/detail/shop${path}`);
    expect(workflow.task_type).toBe(taskType);
  });

  test("names the release plan that started it", () => {
    const releasePlan = { id: "p1", name: "May", index: 3 };
    const [{ workflow }] = sent(webhook, noticeWith({ releasePlan }));
    expect(workflow.release_plan).toEqual(releasePlan);
  });
});

const base = [
  "**Executor**: Ada",
  "**Project Name**: Web Shop",
  "**Start Time**: 2023-11-14 22:13:20",
  "**Duration**: 1m5s",
  "**Remark**: hotfix",
];
const buildLines = [
  "**Build**: build-checkout-api",
  "**Status**: Passed",
  "**Repository Information**: main [PR-3](https://github.com/acme/checkout/pull/3) [PR-7](https://github.com/acme/checkout/pull/7) [01234567](https://github.com/acme/checkout/commit/0123456789abcdef0123456789abcdef01234567)",
  "**Commit Message**: fix: rounding",
  "**Image Information**: registry.example.com/shop/api:1",
];
const deployLines = [
  "**Deploy**: deploy-checkout",
  "**Status**: Failed",
  "**Environment**: dev",
  "**Image Information**: registry.example.com/shop/api:1",
];
const title = "\u274c workflow Ship the shop #42 Failed";
const field = (content: string) => ({ is_short: false, text: { content, tag: "lark_md" } });
const card = {
  config: { wide_screen_mode: true },
  header: { template: "red", title: { content: title, tag: "plain_text" } },
  i18n_elements: {
    zh_cn: [
      { tag: "div", fields: base.map(field) },
      { tag: "div", fields: buildLines.map(field) },
      { tag: "div", fields: deployLines.map(field) },
      {
        tag: "action",
        actions: [{ tag: "button", text: { content: english, tag: "plain_text" }, type: "primary", url: taskPage }],
      },
    ],
  },
};

describe("feishu", () => {
  const address = "https://open.feishu.cn/open-apis/bot/v2/hook/x";
  const feishu = { type: "feishu", hookAddress: address, atUsers: [], isAtAll: false } as const;

  test("is the card of contract W 15.5, base lines in the first block and each job in its own", () => {
    expect(sent(feishu)).toEqual([{ msg_type: "interactive", card }]);
  });

  test("mentions people in a second message, in the form of the hook's generation", () => {
    const at = { atUsers: ["a", "b"], isAtAll: true };
    const text = '<at user_id="a"></at> <at user_id="b"></at> <at user_id="all"></at>';
    expect(sent({ ...feishu, ...at })[1]).toEqual({ msg_type: "text", content: { text } });
    const older = { ...feishu, ...at, hookAddress: "https://open.feishu.cn/open-apis/bot/hook/x" };
    expect(sent(older)[1]).toEqual({ title: "", text });
  });

  test.each([
    ["passed", "green"],
    ["created", "green"],
    ["prepare", "green"],
    ["pause", "orange"],
    ["wait_for_approval", "green"],
    ["failed", "red"],
    ["timeout", "red"],
    ["cancelled", "red"],
    ["reject", "red"],
  ] as const)("%s is %s", (event, colour) => {
    expect(sent(feishu, noticeWith(), event)[0].card.header.template).toBe(colour);
  });

  test("of an app goes to the chat, then mentions; of a person to each", () => {
    const atUsers = [{ id: "ou_1", idType: "open_id", name: "Z" }] as const;
    expect(sent({ type: "feishu_app", appId: "a", chatId: "oc_1", atUsers, isAtAll: false })).toEqual([
      { via: "app", receiver: { id: "oc_1", idType: "chat_id" }, kind: "interactive", content: JSON.stringify(card) },
      {
        via: "app",
        receiver: { id: "oc_1", idType: "chat_id" },
        kind: "text",
        content: JSON.stringify({ text: '<at user_id="ou_1"></at>' }),
      },
    ]);
    expect(sent({ type: "feishu_person", appId: "a", targets: atUsers })).toEqual([
      { via: "app", receiver: { id: "ou_1", idType: "open_id" }, kind: "interactive", content: JSON.stringify(card) },
    ]);
  });
});

describe("dingding", () => {
  const dingding = { type: "dingding", hookAddress: "https://d", atMobiles: [], isAtAll: false } as const;
  const link = `dingtalk://dingtalkclient/page/link?url=${encodeURIComponent(taskPage)}&pc_slide=false`;
  const text = [`### ${title}`, ...[base, buildLines, deployLines].map((lines) => lines.join("  \n"))].join("\n\n");

  test("without mentions is an action card", () => {
    expect(sent(dingding)).toEqual([
      {
        msgtype: "actionCard",
        markdown: null,
        actionCard: {
          hideAvatar: "0",
          btnOrientation: "0",
          text,
          title,
          btns: [{ actionURL: link, title: chinese }],
        },
        at: { atMobiles: [], isAtAll: false },
      },
    ]);
  });

  test("with mentions is markdown that names them", () => {
    expect(sent({ ...dingding, atMobiles: ["+86-1"], isAtAll: true })).toEqual([
      {
        msgtype: "markdown",
        markdown: { title, text: `${text}\n\n@+86-1 @all\n\n[${chinese}](${link})` },
        actionCard: null,
        at: { atMobiles: ["+86-1"], isAtAll: true },
      },
    ]);
  });
});

describe("wechat", () => {
  const wechat = { type: "wechat", hookAddress: "https://w", atUsers: ["u"], isAtAll: false } as const;

  test("is title, body, mentions and link in one markdown text", () => {
    const blocks = [base, buildLines, deployLines].map((lines) => lines.join("\n"));
    const content = [`### ${title}`, ...blocks, "<@u>", `[${english}](${taskPage})`].join("\n\n");
    expect(sent(wechat)).toEqual([{ msgtype: "markdown", markdown: { content }, template_card: {} }]);
  });

  test("leaves jobs out from the end rather than becoming longer than the service takes", () => {
    const stages = [{ name: "s", status: "", startTime: 0, endTime: 0, error: "", jobs: Array(50).fill(build) }];
    const [message] = sent(wechat, noticeWith({ stages }));
    expect(Buffer.byteLength(message.markdown.content)).toBeLessThanOrEqual(4096);
    expect(message.markdown.content).toContain(build.displayName);
    expect(message.markdown.content).toContain(taskPage);
  });
});

describe("msteams", () => {
  const teams = { type: "msteams", hookAddress: "https://t", atEmails: ["ada@example.com"] } as const;

  test("is an Adaptive Card 1.4 with title, text, mentions and one link", () => {
    const [message] = sent(teams);
    const { content, contentType } = message.attachments[0];
    expect(contentType).toBe("application/vnd.microsoft.card.adaptive");
    expect(content).toMatchObject({ type: "AdaptiveCard", version: "1.4" });
    expect(content.body[0]).toMatchObject({ text: title, color: "attention" });
    expect(content.body[1].text).toContain("**Environment**: dev");
    expect(content.body[2].text).toBe("<at>ada@example.com</at>");
    expect(content.msteams.entities).toEqual([
      {
        type: "mention",
        text: "<at>ada@example.com</at>",
        mentioned: { id: "ada@example.com", name: "ada@example.com" },
      },
    ]);
    expect(content.actions).toEqual([{ type: "Action.OpenUrl", title: chinese, url: taskPage }]);
  });

  test.each([
    ["passed", "good"],
    ["created", "good"],
    ["failed", "attention"],
    ["timeout", "warning"],
    ["pause", "warning"],
  ] as const)("%s is %s", (event, colour) => {
    const [message] = sent({ ...teams, atEmails: [] }, noticeWith(), event);
    expect(message.attachments[0].content.body[0].color).toBe(colour);
  });
});

describe("mail", () => {
  test("is one per address, with the title as subject, as text and as HTML", () => {
    const sendTo = ["a@example.com", "b@example.com"];
    const mails = sent({ type: "mail", addresses: sendTo }, noticeWith({ remark: "a <b> & c" }));
    expect(mails.map(({ to }) => to)).toEqual(sendTo);
    expect(mails[0].mail.subject).toBe(title);
    expect(mails[0].mail.text).toContain("Remark: a <b> & c\n");
    expect(mails[0].mail.html).toContain("<b>Remark</b>: a &lt;b&gt; &amp; c");
    expect(mails[0].mail.html).toContain(`<a href="${taskPage}">${english}</a>`);
  });
});

describe("texts", () => {
  const wechat = { type: "wechat", hookAddress: "", atUsers: [], isAtAll: false } as const;
  const contentOf = (notice: TaskNotice, event: NoticeEvent) => sent(wechat, notice, event)[0].markdown.content;

  test.each<[NoticeEvent, string]>([
    ["passed", "\u{1f44d} workflow Ship the shop #42 Passed"],
    ["created", "\u{1f44d} workflow Ship the shop #42 Created"],
    ["failed", "\u274c workflow Ship the shop #42 Failed"],
    ["cancelled", "\u26a0\ufe0f workflow Ship the shop #42 Cancelled"],
    ["timeout", "\u26a0\ufe0f workflow Ship the shop #42 Timeout"],
    ["reject", "\u26a0\ufe0f workflow Ship the shop #42 Rejected"],
    ["pause", "\u26a0\ufe0f workflow Ship the shop #42 Pause"],
    ["wait_for_approval", "\u26a0\ufe0f Workflow Ship the shop #42 waiting for approval"],
  ])("the title of %s is %s", (event, expected) => {
    expect(taskMessage(noticeWith(), event).title).toBe(expected);
  });

  test("name a test's numbers and a scan's findings", () => {
    const metrics = {
      qualityGateStatus: "OK",
      ncloc: "120",
      bugs: "1",
      vulnerabilities: "0",
      codeSmells: "4",
      coverage: "80.1",
    };
    const jobs = [
      { ...build, type: "zadig-test", spec: { kind: "test", succeeded: 8, failed: 1, total: 9 } },
      { ...build, type: "zadig-scanning", spec: { kind: "scan", metrics } },
    ] as const;
    const content = contentOf(
      noticeWith({ taskType: "test", stages: [{ name: "s", status: "", startTime: 0, endTime: 0, error: "", jobs }] }),
      "passed",
    );
    expect(content).toContain("testing Ship the shop #42 Passed");
    expect(content).toContain("**Test Result**: 8(Success) 1(Failed) 9(Total)");
    for (const line of [
      "Quality Gate**: OK",
      "Ncloc**: 120",
      "Bugs**: 1",
      "Vulnerabilities**: 0",
      "Code Smells**: 4",
      "Coverage**: 80.1",
    ])
      expect(content).toContain(line);
  });

  test("name the stage that waits, and show what will be deployed", () => {
    const content = contentOf(noticeWith({ pendingStage: "release" }), "wait_for_approval");
    expect(content).toContain("**Pending Stage**: release");
    expect(content).toContain("**Deploy**: deploy-checkout");
    expect(content).not.toContain("**Build**");
  });

  test("stand in the time zone of the system, and in its language", () => {
    expect(contentOf(noticeWith({ timeZone: "Asia/Shanghai" }), "failed")).toContain("2023-11-15 06:13:20");
    expect(contentOf(noticeWith({ language: "zh" }), "failed")).toContain(`[${chinese}](`);
  });

  test("that people wrote mention nobody and hide no link", () => {
    const content = contentOf(noticeWith({ remark: "<@all> [click](https://evil.example)\n# big" }), "failed");
    expect(content).toContain("**Remark**: \u2039@all\u203a [click] (https://evil.example) # big");
  });

  test("of a notification about one job show that job alone", () => {
    const content = contentOf(noticeWith({ job: { ...build, status: "failed" } }), "failed");
    expect(content).toContain("#42 build-checkout-api Failed");
    expect(content).not.toContain("**Deploy**");
  });
});

test("what a delivery shows of its target holds no part of the address that is secret", () => {
  const secret = "https://hooks.example.com/services/T0/key-1?access_token=key-2";
  const types = ["feishu", "dingding", "wechat", "msteams"] as const;
  const people = { atUsers: [], atMobiles: [], atEmails: [], isAtAll: false };
  const destinations = [
    ...types.map((type) => ({ type, hookAddress: secret, ...people }) as ReadyDestination),
    { type: "webhook", address: secret, token: "key-3", secret: "key-4" } as const,
  ];
  for (const destination of destinations) {
    const planned = plannedDeliveries(destination, taskMessage(noticeWith(), "failed"), () => ({}));
    expect(planned.map(({ target }) => target)).toEqual(["hooks.example.com"]);
    expect(JSON.stringify(planned.map(({ target, parts }) => ({ target, parts })))).not.toMatch(/key-\d/);
  }
});
