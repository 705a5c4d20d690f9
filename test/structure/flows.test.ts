import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRepositoryFile, repositoryFiles } from "./sourceFiles.ts";

const files = new Set(repositoryFiles());
const pages = readdirSync(join(import.meta.dirname, "../../docs/flows"));

test.each(pages)("docs/flows/%s names at most twelve files, and each exists", (page) => {
  const named = [...readRepositoryFile(`docs/flows/${page}`).matchAll(/`([a-z]+\/[\w/-]+\.ts)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(named.filter((path) => !files.has(path))).toEqual([]);
  expect(new Set(named).size).toBeGreaterThan(5);
  expect(new Set(named).size).toBeLessThanOrEqual(12);
});
