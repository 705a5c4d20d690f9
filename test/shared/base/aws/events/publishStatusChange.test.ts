import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { publishStatusChange } from "../../../../../shared/base/aws/events/publishStatusChange.ts";
import { type Slipway, startSlipway } from "../../../../harness/slipway.ts";

let slipway: Slipway;
afterEach(() => slipway.close());

const change = {
  level: "task",
  projectKey: "shop",
  workflowKey: "ship-shop",
  taskId: 3,
  from: "running",
  to: "passed",
  time: 1_700_000_000,
} as const;
const lines = (file: string): Record<string, unknown>[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("changed statuses reach the event bus in order, on one machine as lines of a file that only its user reads", async () => {
  slipway = await startSlipway();
  await publishStatusChange(change, { ...change, level: "job", jobName: "job-0-0-0-build" });
  await publishStatusChange(...Array.from({ length: 11 }, (_, at) => ({ ...change, taskId: at })));

  const file = join(slipway.dataDir, "events.ndjson");
  const found = lines(file);
  expect(found[0]).toMatchObject({
    source: "slipway",
    "detail-type": "task status changed",
    time: "2023-11-14T22:13:20Z",
    detail: {
      project_key: "shop",
      workflow_key: "ship-shop",
      task_id: 3,
      from: "running",
      to: "passed",
      time: 1_700_000_000,
    },
  });
  expect(found[0]?.detail).not.toHaveProperty("job_name");
  expect(found[1]).toMatchObject({ "detail-type": "job status changed", detail: { job_name: "job-0-0-0-build" } });
  expect(found.slice(2).map(({ detail }) => (detail as { task_id: number }).task_id)).toEqual(
    Array.from({ length: 11 }, (_, at) => at),
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
