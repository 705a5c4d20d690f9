import { expect, test } from "vitest";
import { rolloutTypes } from "../../clients/typescript/index.ts";
import { jobKindOf, jobTypes } from "../../shared/workflows/definition/jobKinds.ts";

test("clients know each kind of job that is a step of a rollout", () => {
  expect([...rolloutTypes].sort()).toEqual(jobTypes.filter((type) => jobKindOf(type)?.rollsOut === true).sort());
});
