import fc from "fast-check";
import { expect, test } from "vitest";
import { containerJobName, jobLogKey, mainContainerName } from "../../../../shared/workflows/pods/names.ts";

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const job = { workflowKey: "Ship_It", taskId: 7, jobRecordId: "0123456789abcdef01234567", attempt: 1 };

test("a repetition of one attempt has the name of the first start, another attempt another one", () => {
  expect(containerJobName(job)).toMatch(/^ship-it-7-[0-9a-f]{10}$/);
  expect(containerJobName({ ...job })).toBe(containerJobName(job));
  expect(containerJobName({ ...job, attempt: 2 })).not.toBe(containerJobName(job));
});

test("whatever workflows and job tasks are called, Kubernetes takes the names", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(), (text, taskId) => {
      expect(containerJobName({ ...job, workflowKey: text, taskId })).toMatch(label);
      expect(mainContainerName(text)).toMatch(label);
    }),
  );
});

test("the log keeps the case of the workflow's key", () => {
  expect(jobLogKey({ ...job, jobTaskName: "build" })).toBe("jobs/Ship_It/7/log/build.log");
});
