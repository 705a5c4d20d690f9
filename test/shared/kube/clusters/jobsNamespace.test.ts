import { expect, test } from "vitest";
import { namespaceOfProject } from "../../../../shared/kube/clusters/jobsNamespace.ts";
import { namespaceProblem } from "../../../../shared/kube/rules/systemNamespaces.ts";

const base = "slipway-jobs";
const longest = "b".repeat(40);
const of = (projectKey: string) => namespaceOfProject(base, projectKey);

test("jobs of a project run in a namespace that ends with its key", () => {
  expect(of("shop")).toBe("slipway-jobs-shop");
  expect(of("s".repeat(49))).toBe(`slipway-jobs-${"s".repeat(49)}`);
});

test.each([base, longest])("a name that is too long after %s is cut, and ends with a digest", (beginning) => {
  const cut = namespaceOfProject(beginning, "s".repeat(63));
  expect(cut).toHaveLength(63);
  expect(cut).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
  expect(namespaceOfProject(beginning, "s".repeat(63))).toBe(cut);
  expect(namespaceProblem(cut, beginning)).toContain("belongs to the platform's jobs");
});

test("no two keys have the same namespace, not even one that is written like a cut one", () => {
  const keys = [49, 50, 51, 62, 63].flatMap((length) => ["s".repeat(length), `${"s".repeat(length - 1)}t`]);
  const alike = keys.map((key) => of(key).slice(base.length + 1));
  const all = [...new Set([...keys, ...alike])];
  expect(new Set(all.map(of)).size).toBe(all.length);
  for (const key of all) expect(of(key).length).toBeLessThanOrEqual(63);
});
