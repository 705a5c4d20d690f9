import { dirname } from "node:path";
import { expect, test } from "vitest";
import { importsOf, sourceFiles } from "./sourceFiles.ts";

const product = sourceFiles("clients", "functions", "infra", "shared");

test("a folder has at most 25 files", () => {
  const counts = Map.groupBy(product, ({ path }) => dirname(path));
  expect(counts.size).toBeGreaterThan(100);
  const large = [...counts].filter(([, files]) => files.length > 25).map(([folder]) => folder);
  // Commands, one file each.
  expect(large.filter((folder) => folder !== "clients/cli/commands")).toEqual([]);
});

/** What a list names, one file each, is not a helper: functions, channels, code hosts, and the parts of a kind of job. */
const lists =
  /^(functions\/engine\/machines|infra\/local\/(handlers|workers)|shared\/integrations\/.*\/(channels|providers))\.ts$/;
const partOfKind = /^shared\/workflows\/jobs\/[^/]+\/(kind|planner|runner|preview)\.ts$/;

test("a helper of at most 40 lines with one caller lives in the caller's file, but for few", () => {
  const callers = new Map<string, string[]>();
  const lateOnes = new Set<string>();
  for (const file of product)
    for (const { target, late } of importsOf(file)) {
      callers.set(target, [...(callers.get(target) ?? []), file.path]);
      if (late) lateOnes.add(target);
    }
  const helpers = product.filter(({ path, text }) => {
    const [caller = "", ...others] = new Set(callers.get(path));
    const isSmall = text.split("\n").length <= 41;
    return (
      isSmall &&
      caller !== "" &&
      others.length === 0 &&
      !lists.test(caller) &&
      !partOfKind.test(path) &&
      !lateOnes.has(path)
    );
  });
  expect(helpers.map(({ path }) => path).sort().length).toBeLessThanOrEqual(60);
});
