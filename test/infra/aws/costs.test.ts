import { expect, test } from "vitest";
import { groups } from "../../../functions/api/groups.ts";
import { machines } from "../../../functions/engine/machines.ts";
import { groupFunction } from "../../../infra/aws/functions/functions.ts";
import { memoryMib } from "../../../shared/reports/costs/rules/controlPlane.ts";

test("costs of tasks are told with the memory that their functions have", () => {
  const { "workflow-task": task, job } = machines;
  const api = groups.find(({ name }) => name === "workflows");
  expect(memoryMib).toEqual({
    api: api && groupFunction(api).memoryMegabytes,
    task: task.memoryMegabytes,
    job: job.memoryMegabytes,
  });
});
