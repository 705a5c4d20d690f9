import { expect, test } from "vitest";
import {
  firingCtls,
  type NoticeEvent,
  systemHookEventOf,
} from "../../../../../shared/integrations/notify/rules/firingCtls.ts";
import { notifyCtl } from "../../../../../shared/integrations/notify/rules/notifyCtl.ts";

/** Contract W 15.2: event, how the task before ended, and which of the values fire. */
const cases: [NoticeEvent, string | undefined, string[]][] = [
  ["created", undefined, ["created"]],
  ["passed", "passed", ["passed"]],
  ["passed", "failed", ["passed", "changed"]],
  ["passed", undefined, ["passed", "changed"]],
  ["failed", "failed", ["failed"]],
  ["failed", "passed", ["failed", "changed"]],
  ["timeout", "timeout", ["timeout"]],
  ["cancelled", "passed", ["cancelled", "changed"]],
  ["reject", "reject", ["reject", "failed"]],
  ["reject", "failed", ["reject", "failed", "changed"]],
  ["pause", "passed", ["pause"]],
  ["wait_for_approval", "passed", ["wait_for_approval"]],
];
const values = [
  "created",
  "passed",
  "failed",
  "timeout",
  "cancelled",
  "reject",
  "pause",
  "wait_for_approval",
  "changed",
];
const ctlOf = (type: string, ...wanted: string[]) =>
  notifyCtl.parse({ enabled: true, webhook_type: type, notify_type: wanted });

test.each(cases)("%s after a task that ended %s fires exactly what the contract names", (event, statusBefore, fire) => {
  const fired = values.filter(
    (value) => firingCtls([ctlOf("webhook", value)], { event, level: "task", statusBefore }).length > 0,
  );
  expect(fired.toSorted()).toEqual(fire.toSorted());
});

test("a setting that names several fitting values fires once, with its place in the list", () => {
  const ctls = [ctlOf("wechat", "created"), ctlOf("webhook", "reject", "failed", "changed")];
  expect(firingCtls(ctls, { event: "reject", level: "task" }).map(({ index }) => index)).toEqual([1]);
});

test("a disabled setting never fires", () => {
  const ctl = notifyCtl.parse({ enabled: false, webhook_type: "webhook", notify_type: values });
  for (const [event] of cases) expect(firingCtls([ctl], { event, level: "task" })).toEqual([]);
});

test("a pause is not told to single people, who get a message as executors", () => {
  expect(firingCtls([ctlOf("feishu_person", "pause")], { event: "pause", level: "task" })).toEqual([]);
});

test("settings of a job know its start and its end, and neither changes nor rejections as failures", () => {
  const fired = (value: string, event: NoticeEvent) =>
    firingCtls([ctlOf("webhook", value)], { event, level: "job" }).length;
  expect([fired("prepare", "prepare"), fired("failed", "failed")]).toEqual([1, 1]);
  expect([fired("changed", "failed"), fired("failed", "reject")]).toEqual([0, 0]);
});

test.each<[NoticeEvent, string | undefined]>([
  ["created", "start_execute"],
  ["passed", "complete_execute"],
  ["failed", "complete_execute"],
  ["timeout", "complete_execute"],
  ["cancelled", "complete_execute"],
  ["reject", undefined],
  ["pause", undefined],
  ["wait_for_approval", undefined],
  ["prepare", undefined],
])("the system-wide hook is told of %s as %s", (event, expected) => {
  expect(systemHookEventOf(event)).toBe(expected);
});
