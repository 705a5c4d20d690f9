import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { jobKindOf, jobTypes } from "../../shared/workflows/definition/jobKinds.ts";

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
