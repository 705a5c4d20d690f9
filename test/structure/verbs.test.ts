import { expect, test } from "vitest";
import { readRepositoryFile, sourceFiles } from "./sourceFiles.ts";

/** Words of the last column of the glossary's table of verbs, which another verb has the meaning of. */
const replaced = [...readRepositoryFile("docs/glossary.md").matchAll(/^\| `.*\| ([a-z, ]+?) \|$/gm)].flatMap(
  ([, words = ""]) => words.split(", "),
);

test("no exported function begins with a verb that the glossary replaces", () => {
  expect(replaced).toContain("load");
  expect(replaced.length).toBeGreaterThan(8);
  const verb = new RegExp(`^export (?:async )?function \\*?((?:${replaced.join("|")})[A-Z]\\w*)`, "gm");
  // A command of the command line is named as it is typed; codecs are called as those of the package that they replace.
  const isNamedElsewhere = (found: string): boolean => /Command$|\/mysqlCodecs\.ts /.test(found);
  const found = sourceFiles("clients", "functions", "infra", "shared").flatMap(({ path, text }) =>
    [...text.matchAll(verb)].map(([, name]) => `${path} ${name}`),
  );
  expect(found.filter((one) => !isNamedElsewhere(one))).toEqual([]);
});
