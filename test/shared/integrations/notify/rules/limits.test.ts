import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReadyDestination } from "../../../../../shared/integrations/notify/rules/channels/channels.ts";
import type { Message } from "../../../../../shared/integrations/notify/rules/message.ts";
import { plannedDeliveries } from "../../../../../shared/integrations/notify/rules/plannedDeliveries.ts";
import { taskMessage } from "../../../../../shared/integrations/notify/rules/taskMessage.ts";
import type { JobNotice } from "../../../../../shared/integrations/notify/rules/taskNotice.ts";
import { customMessage } from "../../../../../shared/integrations/notify/sendNotificationJob.ts";
import { build, noticeWith, taskPage } from "./notices.ts";

interface Service {
  destination: ReadyDestination;
  most: number;
  /** What the service counts, and what people read. */
  counted: (body: string) => string;
}

/** The documented limits, in bytes of UTF-8. */
const services: Record<string, Service> = {
  // https://developer.work.weixin.qq.com/document/path/91770
  wechat: {
    destination: { type: "wechat", hookAddress: "https://w", atUsers: ["u"], isAtAll: false },
    most: 4096,
    counted: (body) => JSON.parse(body).markdown.content,
  },
  // https://open.dingtalk.com/document/orgapp/custom-bot-send-message-type
  dingding: {
    destination: { type: "dingding", hookAddress: "https://d", atMobiles: [], isAtAll: true },
    most: 20_000,
    counted: (body) => body,
  },
  // https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
  feishu: {
    destination: { type: "feishu", hookAddress: "https://f", atUsers: [], isAtAll: false },
    most: 20 * 1024,
    counted: (body) => body,
  },
  // https://learn.microsoft.com/microsoftteams/limits-specifications-teams
  msteams: {
    destination: { type: "msteams", hookAddress: "https://t", atEmails: [] },
    most: 28 * 1024,
    counted: (body) => body,
  },
};

function sent({ destination, counted }: Service, message: Message): string {
  const [part] = plannedDeliveries(destination, message, () => ({}))[0]?.parts ?? [];
  return counted(part?.via === "hook" ? part.body : "");
}

const bytes = (text: string) => Buffer.byteLength(text);
const job = (at: number, status = "passed", more: Partial<JobNotice> = {}): JobNotice => ({
  ...{ ...build, ...more },
  ...{ name: `job-${at}`, displayName: `任务-number-${at}-`, status },
});
const withJobs = (jobs: JobNotice[], more: object = {}) =>
  taskMessage(
    noticeWith({ stages: [{ name: "s", status: "", startTime: 0, endTime: 0, error: "", jobs }], ...more }),
    "failed",
  );

describe.each(Object.entries(services))("a message for %s that is too long", (_, service) => {
  test("shows the jobs that failed first, ends at a line, and says how many are missing", () => {
    const jobs = Array.from({ length: 300 }, (_, at) =>
      job(at, at === 250 ? "failed" : at === 290 ? "timeout" : "passed"),
    );
    const text = sent(service, withJobs(jobs));
    expect(bytes(text)).toBeLessThanOrEqual(service.most);
    expect(bytes(text)).toBeGreaterThan(service.most * 0.8);
    const shown = [...text.matchAll(/number-(\d+)-/g)].map(([, at]) => Number(at));
    expect(shown.slice(0, 4)).toEqual([250, 290, 0, 1]);
    expect(text).toContain(`… jobs that are not shown: ${300 - shown.length}`);
    expect(text).toContain(service.destination.type === "dingding" ? encodeURIComponent(taskPage) : taskPage);
  });

  test("is cut within a remark, so that it leaves room for the jobs", () => {
    const text = sent(service, withJobs([job(1, "failed")], { remark: "备注 ".repeat(20_000) }));
    expect(bytes(text)).toBeLessThanOrEqual(service.most);
    expect(text).toContain("number-1-");
  });

  test("is cut between the lines of its author's own text", () => {
    const lines = Array.from({ length: 3000 }, (_, at) => `第 ${at} line.`);
    const text = sent(service, customMessage(noticeWith(), { title: "T".repeat(5000), content: lines.join("\n") }));
    expect(bytes(text)).toBeLessThanOrEqual(service.most);
    expect(text).toContain("第 100 line.");
    expect(text).toMatch(/line\.(?:\n|\\n)…/);
    const one = sent(service, customMessage(noticeWith(), { title: "", content: "长😀".repeat(20_000) }));
    expect(bytes(one)).toBeLessThanOrEqual(service.most);
    expect(bytes(one)).toBeGreaterThan(service.most * 0.8);
    expect(one).toContain("…");
    expect(one.isWellFormed()).toBe(true);
    expect(one).not.toMatch(/\\ud83d(?!\\ude00)/i);
  });

  test("is whole and in its order where it is short enough", () => {
    const text = sent(service, withJobs([job(1), job(2, "failed"), job(3)]));
    expect([...text.matchAll(/number-(\d+)-/g)].map(([, at]) => Number(at))).toEqual([1, 2, 3]);
    expect(text).not.toContain("…");
  });

  test("is never longer than the service takes", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "备", "😀", "\n", "*", "<"), maxLength: 3000 });
    fc.assert(
      fc.property(fc.nat({ max: 60 }), texts, texts, (count, remark, title) => {
        const jobs = Array.from({ length: count }, (_, at) => job(at, at % 7 === 0 ? "failed" : "passed"));
        const message = { ...withJobs(jobs, { remark }), title };
        expect(bytes(sent(service, message))).toBeLessThanOrEqual(service.most);
      }),
      { numRuns: 50 },
    );
  });
});
