import type { DefinitionCalls } from "./definitionCalls.ts";
import { waitFor } from "./waitFor.ts";

export interface ShownQualityTask {
  task_id: number;
  status: string;
  creator: string;
  create_time: number;
  end_time: number;
  [field: string]: unknown;
}

const endings = ["passed", "failed", "timeout", "cancelled"];

/** Tasks of tests and of code scans through the API. */
export function qualityTasksOf({ ok, refused }: DefinitionCalls) {
  const tests = "/openapi/quality/testing";
  const scans = "/openapi/quality/codescan";
  const over = (what: string, read: () => Promise<ShownQualityTask>) =>
    waitFor(`${what} to be over`, async () => {
      const task = await read();
      return endings.includes(task.status) && task.end_time > 0 && task;
    });
  const test = {
    start: async (test_name: string, more: object = {}) =>
      (await ok<{ task_id: number }>("POST", `${tests}/task`, { project_key: "shop", test_name, ...more })).task_id,
    refuse: (test_name: string, more: object = {}) =>
      refused("POST", `${tests}/task`, { project_key: "shop", test_name, ...more }),
    read: (name: string, taskId: number, projectKey = "shop") =>
      ok<ShownQualityTask>("GET", `${tests}/${name}/task/${taskId}?projectKey=${projectKey}`),
    end: (name: string, taskId: number, projectKey = "shop") =>
      over(`task #${taskId} of test ${name}`, () => test.read(name, taskId, projectKey)),
  };
  const scan = {
    start: async (name: string, body?: object) =>
      (await ok<{ task_id: number }>("POST", `${scans}/${name}/task?projectKey=shop`, body)).task_id,
    read: (name: string, taskId: number) =>
      ok<ShownQualityTask>("GET", `${scans}/${name}/task/${taskId}?projectKey=shop`),
    end: (name: string, taskId: number) => over(`task #${taskId} of scan ${name}`, () => scan.read(name, taskId)),
  };
  return { test, scan };
}
