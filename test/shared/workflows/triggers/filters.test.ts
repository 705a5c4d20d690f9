import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { branchFilterProblem } from "../../../../functions/api/workflows/triggers/schemas.ts";
import { expressionProblem, isFound } from "../../../../shared/workflows/triggers/git/regularExpression.ts";
import { ignoreReason } from "../../../../shared/workflows/triggers/git/verdict.ts";
import { fitsGlob } from "../../../../shared/workflows/triggers/rules/glob.ts";
import { pathProblems, untouched } from "../../../../shared/workflows/triggers/rules/pathFilter.ts";
import branches from "./cases/branches.json" with { type: "json" };
import globs from "./cases/globs.json" with { type: "json" };

const none = { target: "", tag: "", commit: "", message: "", committer: "", pullRequest: 0 };

describe("the branch of a trigger", () => {
  test.for(branches.cases)(
    "$filter with the branch $branch: $expect",
    ({ filter, branch, is_regular, expect: right }) => {
      const problem = is_regular ? expressionProblem(filter) : branchFilterProblem(filter);
      const deaf = ignoreReason(
        { events: ["push"], branch: filter, isRegular: is_regular === true, folders: [] },
        { ...none, event: "push", branch },
      );
      expect(problem === undefined ? (deaf === undefined ? "fires" : "silent") : "refused").toBe(right[0]);
    },
  );

  test.for([
    ["main,dev", "names several branches"],
    ["main|dev", "names several branches"],
    ["a~1", 'holds "~"'],
    ["^main", "is_regular: true"],
    ["tab\there", "holds"],
    ["refs/heads/main", "write the name of the branch alone"],
    ["release/", "can fit no branch"],
    ["/release", "can fit no branch"],
    ["release/*/", "can fit no branch"],
    ["release//1", "can fit no branch"],
    ["release/.+", "can fit no branch"],
    ["*.lock", "can fit no branch"],
    ["v1..v2", "can fit no branch"],
    ["main@{1}", "can fit no branch"],
    ["end.", "can fit no branch"],
    ["-x", "can fit no branch"],
    ["@", "can fit no branch"],
  ] as const)("cannot be %j", ([filter, problem]) => {
    expect(branchFilterProblem(filter)).toContain(problem);
  });

  test.for(["", "*", "**", "main", "feature/*", "?.?", "*/*", "a@b", "größe", "users/ada/#12", "v1.*", "(old)", "a+b"])(
    "may be %j",
    (filter) => expect(branchFilterProblem(filter)).toBeUndefined(),
  );

  test("never fits a name that git refuses, where it was taken", () => {
    const character = fc.constantFrom("a", "/", ".", "*", "?", "@", "{", " ", "-", "lock");
    fc.assert(
      fc.property(fc.array(character, { minLength: 1, maxLength: 8 }), (parts) => {
        const filter = parts.join("");
        const written = filter.replaceAll("*", "a").replaceAll("?", "a");
        if (branchFilterProblem(filter) === undefined) expect(fitsGlob(filter, written)).toBe(true);
      }),
    );
  });
});

describe("a regular expression of a trigger", () => {
  test.for([
    ["^release/\\d+$", "release/12", true],
    ["(?i)^MAIN$", "main", true],
    ["^(?P<kind>fix|feat)/", "feat/x", true],
    ["a\\-b", "a-b", true],
    ["^[\\w\\-]+$", "a-b", true],
    ["^v\\d{1,3}\\.\\d+$", "v1.22", true],
    ["main", "domain", true],
    ["^main$", "domain", false],
    ["\\p{L}", "größe", true],
  ] as const)("%s in %s: %s", ([text, branch, found]) => {
    expect(expressionProblem(text)).toBeUndefined();
    expect(isFound(text, branch)).toBe(found);
  });

  test.for([
    ["(?!main)", "looks ahead"],
    ["(?<=a)b", "looks ahead or behind"],
    ["(a)\\1", "refers back"],
    ["(?<n>a)\\k<n>", "refers back"],
    ["a{1001}", "more than 1000"],
    ["(main", "Unterminated group"],
    ["*", "Nothing to repeat"],
    ["\\Amain\\z", "Invalid escape"],
  ] as const)("cannot be %s", ([text, problem]) => {
    expect(expressionProblem(text)).toContain(problem);
  });

  test("that goes back for ever is stopped", () => {
    const started = performance.now();
    expect(() => isFound("^(a+)+$", `${"a".repeat(200)}!`)).toThrow("takes more than 100 ms");
    expect(performance.now() - started).toBeLessThan(10_000);
    const trigger = { events: ["push" as const], branch: "^(a+)+$", isRegular: true, folders: [] };
    const branch = `${"a".repeat(200)}!`;
    expect(ignoreReason(trigger, { ...none, event: "push", branch })).toContain("takes more than 100 ms");
  });
});

describe("the paths of a trigger", () => {
  test.for(globs.cases)("$pattern with $path: $match", ({ pattern, path, match }) => {
    expect(pathProblems(pattern)).toEqual([]);
    expect(untouched(pattern, path) === undefined).toBe(match);
  });

  test.for([
    ["./src/*.ts", "src/a/b.ts", true],
    ["src/./web", "src/web/a.ts", true],
    ["**/**/a.txt", "a.txt", true],
    ["**/node_modules", "web/node_modules/x/y.js", true],
    ["**/node_modules", "web/my_node_modules/x.js", false],
    ["a/**/b/**/c", "a/b/c", true],
    ["a/**/b/**/c", "a/x/b/y/z/c", true],
    ["a/**/b/**/c", "a/xb/c", false],
    ["a**/b", "ab/c/b", true],
    ["file?.txt", "file1.txt", true],
    ["file?.txt", "file12.txt", false],
    ["app/[slug]/page.tsx", "app/[slug]/page.tsx", true],
    ["*.toml", "conf/x.toml", true],
    ["**/", "any/file", true],
    ["a", "ab", false],
  ] as const)("%s with %s: %s", ([pattern, path, match]) => {
    expect(untouched([pattern], [path]) === undefined).toBe(match);
  });

  test.for([
    [["src\\main"], 0, "backslash"],
    [["../shared"], 0, "holds .."],
    [["src/../web"], 0, "holds .."],
    [["a//b"], 0, "holds //"],
    [["src/{a,b}/**"], 0, "an entry of its own"],
    [["src", "!**"], 1, "takes out every file"],
    [["!."], 0, "takes out every file"],
    [["!"], 0, "takes out every file"],
    [["!!src"], 0, "more than one !"],
    [["web", "src", "!src/"], 1, "!src/ takes out all of it"],
    [["src/web/*.ts", "!src"], 0, "!src takes out all of it"],
  ] as const)("cannot be %j", ([patterns, at, problem]) => {
    expect(pathProblems(patterns)).toEqual([[at, expect.stringContaining(problem)]]);
  });

  test("are compared in time that grows with their length, whatever they are", () => {
    const pattern = "*a".repeat(250);
    const started = performance.now();
    expect(fitsGlob(pattern, `${"a".repeat(249)}${"b".repeat(4000)}`)).toBe(false);
    expect(fitsGlob("**/a/".repeat(100), "a/".repeat(2000))).toBe(true);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test("fit as a regular expression of the same meaning does", () => {
    const piece = fc.constantFrom("a", "b", "/", "*", "?", "**/");
    const letter = fc.constantFrom("a", "b", "/");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 7 }), fc.array(letter, { maxLength: 7 }), (pieces, letters) => {
        const [pattern, value] = [pieces.join(""), letters.join("")];
        const source = pattern.replace(/(^|(?<=\/))\*\*+\/|\*+|\?/g, (found) =>
          found === "?" ? "." : found.endsWith("/") ? "(?:.*/)?" : ".*",
        );
        expect([pattern, value, fitsGlob(pattern, value)]).toEqual([
          pattern,
          value,
          new RegExp(`^${source}$`).test(value),
        ]);
      }),
      { numRuns: 2000 },
    );
  });
});
