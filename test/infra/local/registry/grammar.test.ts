import { isAbsolute, normalize } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseByteRange } from "../../../../infra/local/registry/endpoints/blobs.ts";
import { isRepositoryName, isTag } from "../../../../infra/local/registry/grammar.ts";
import { pageOf } from "../../../../infra/local/registry/routes.ts";

const pathLike = fc.oneof(
  fc.string(),
  fc
    .array(fc.constantFrom("a", "0", "A", ".", "..", "/", "_", "__", "-", "%", "\0", "\n", "ä"))
    .map((all) => all.join("")),
);

test("no name and no tag that is accepted leads out of its folder or into one of ours", () => {
  fc.assert(
    fc.property(pathLike, (text) => {
      if (!isRepositoryName(text)) return;
      expect(normalize(text)).toBe(text);
      expect(isAbsolute(text)).toBe(false);
      for (const component of text.split("/")) expect(component).toMatch(/^[a-z0-9]/);
    }),
    { numRuns: 5000 },
  );
  fc.assert(
    fc.property(pathLike, (text) => {
      if (isTag(text)) expect(text).toMatch(/^(?!\.)[\w.-]+$/);
    }),
    { numRuns: 5000 },
  );
});

test("a long name that just fails is refused at once", () => {
  const started = performance.now();
  expect(isRepositoryName(`${"a-".repeat(127)}!`)).toBe(false);
  expect(isRepositoryName(`${"a--".repeat(100_000)}!`)).toBe(false);
  expect(performance.now() - started).toBeLessThan(500);
});

test("a range that is given lies inside of the content, whatever was asked", () => {
  const number = fc.oneof(fc.constant(""), fc.nat(30).map(String), fc.constant("999999999999999"));
  fc.assert(
    fc.property(number, number, fc.nat(20), (first, last, size) => {
      const range = parseByteRange(`bytes=${first}-${last}`, size);
      if (range === undefined || range === "unsatisfiable") return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.start).toBeLessThanOrEqual(range.end);
      expect(range.end).toBeLessThan(size);
    }),
  );
});

test("the pages that follow the links are the whole list once, in one order, for every page size", () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,3}$/), { maxLength: 30 });
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 31 }), (all, size) => {
      const collected: string[] = [];
      let query: string | undefined = `n=${size}`;
      while (query !== undefined) {
        const page = pageOf(all, new URLSearchParams(query), "/path", 1000);
        collected.push(...page.names);
        query = page.link && /\?([^>]+)>/.exec(page.link)?.[1];
      }
      expect(collected.toSorted()).toEqual(all.toSorted());
      expect(collected).toEqual(pageOf(all, new URLSearchParams(), "/path", 1000).names);
    }),
  );
});
