import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { readRepositoryFile } from "./sourceFiles.ts";

const folder = "docs/decisions";
const records = readdirSync(new URL(`../../${folder}/`, import.meta.url)).filter((name) => name !== "README.md");
const index = readRepositoryFile(`${folder}/README.md`);
const listed = [...index.matchAll(/^- \[(\d+)\]\(([^)]+)\): (.+)$/gm)].map(([, number, file, title]) => ({
  file,
  heading: `# ${number}. ${title}`,
}));

test("the index lists every decision once, under its number and title", () => {
  expect(listed.map(({ file }) => file).sort()).toEqual([...records].sort());
  for (const { file, heading } of listed) expect(readRepositoryFile(`${folder}/${file}`).split("\n")[0]).toBe(heading);
});
