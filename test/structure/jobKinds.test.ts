import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { jobKindOf, jobTypes } from "../../shared/workflows/definition/jobKinds.ts";
import { plannerOf } from "../../shared/workflows/jobs/planners.ts";
import { previewerOf } from "../../shared/workflows/jobs/previews.ts";
import { runnerOf } from "../../shared/workflows/jobs/runners.ts";

const text = readFileSync(new URL("../../docs/job-kinds.md", import.meta.url), "utf8");
const [works = "", staysOut = ""] = text.split("## What stays out");

/** Types in the first cell of each row. */
const typesIn = (part: string): string[] =>
  part.split("\n").flatMap((line) => {
    const [, cell = ""] = line.startsWith("| `") ? line.split("|") : [];
    return [...cell.matchAll(/`([a-z0-9-]+)`/g)].map(([, type = ""]) => type);
  });

test("the list of kinds of jobs has every kind that runs, and none that does not", () => {
  expect(typesIn(works).sort()).toEqual([...jobTypes].sort());
  const stored = typesIn(staysOut);
  expect(stored.length).toBeGreaterThan(8);
  expect(stored.filter((type) => jobKindOf(type) !== undefined)).toEqual([]);
});

test.each(jobTypes)(
  "the folder of %s has its kind, planner and runner, and a preview if the kind says so",
  async (type) => {
    const has = (file: string) => existsSync(new URL(`../../shared/workflows/jobs/${type}/${file}`, import.meta.url));
    expect(has("kind.ts")).toBe(true);
    expect((await plannerOf(type)).expand).toBeTypeOf("function");
    const { begin, finish } = await runnerOf(type);
    expect([typeof begin, typeof finish]).toEqual(["function", "function"]);
    expect(typeof (await previewerOf(type))).toBe(has("preview.ts") ? "function" : "undefined");
    expect(jobKindOf(type)?.type).toBe(type);
  },
);
