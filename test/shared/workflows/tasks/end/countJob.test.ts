import { expect, test } from "vitest";
import type { WholeTask } from "../../../../../shared/workflows/records/findTasks.ts";
import { rowOf } from "../../../../../shared/workflows/tasks/end/countJob.ts";

interface Checkout {
  job: string;
  service?: string;
  status?: string;
  times: (number | undefined)[];
}

/** A task that checked something out and deployed `web` to production at 10,000; where `status` and the rest say nothing else, well. */
function leadOf(checkouts: readonly Checkout[], status = "passed", production = true, service = "web") {
  const plans = checkouts.map(({ job, service }) => ({
    ...{ name: job, type: "zadig-build", jobInfo: service === undefined ? {} : { service_name: service } },
  }));
  const deploy = { name: "deploy", type: "zadig-deploy", jobInfo: { service_name: service }, spec: {} };
  const run = { env: "live", production };
  const records = checkouts.map(({ job, status = "passed", times }) => ({
    ...{ name: job, stage: 0, status },
    result: { repos: times.map((commit_time) => ({ commit_id: "c", commit_time })) },
  }));
  const ended = { ...{ name: "deploy", stage: 0, status, startTime: 9_000, endTime: 10_000 }, result: {} };
  const whole = {
    task: { owner: { projectKey: "shop", key: "ship" }, taskId: 1, createTime: 8_000 },
    plan: { stages: [{ jobs: [...plans, { ...deploy, run }] }] },
    jobs: [...records, ended],
  } as unknown as WholeTask;
  const { leads, leadSeconds } = rowOf(whole, { ...deploy, run } as never, ended as never);
  return { leads, leadSeconds };
}

const unknown = { leads: undefined, leadSeconds: undefined };

test("the lead time of a deployment begins with the newest commit that its task checked out for the service", () => {
  const web = { job: "build-web", service: "web", times: [4_000, 7_000] };
  const api = { job: "build-api", service: "api", times: [9_999] };
  expect(leadOf([web, api])).toEqual({ leads: 1, leadSeconds: 3_000 });
  expect(leadOf([web, { job: "script", times: [8_000] }])).toEqual({ leads: 1, leadSeconds: 2_000 });
  expect(leadOf([web, { ...web, job: "again", status: "failed", times: [9_000] }])).toEqual({
    ...{ leads: 1, leadSeconds: 3_000 },
  });
  // A commit of a clock that runs ahead.
  expect(leadOf([{ ...web, times: [20_000] }])).toEqual({ leads: 1, leadSeconds: 0 });
});

test("it is not known without a commit, nor of what did not come into production", () => {
  const web = { job: "build-web", service: "web", times: [4_000] };
  expect(leadOf([])).toEqual(unknown);
  expect(leadOf([{ ...web, times: [undefined] }])).toEqual(unknown);
  expect(leadOf([{ ...web, service: "api" }])).toEqual(unknown);
  expect(leadOf([web], "failed")).toEqual(unknown);
  expect(leadOf([web], "passed", false)).toEqual(unknown);
});
