import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readRepositoryFile, repositoryFiles } from "./sourceFiles.ts";

const readme = readRepositoryFile("README.md");
const scripts = JSON.parse(readRepositoryFile("package.json")) as { scripts: Record<string, string> };

/** Anchors of headings, as GitHub and others make them. */
const partsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );

describe("the README", () => {
  test("names only scripts that there are, as the page about testing does", () => {
    const pages = readme + readRepositoryFile("docs/testing.md");
    const own = [...pages.matchAll(/(?:`|^|&& )npm (?:run )?([\w:-]+)/gm)].map(([, name = ""]) => name);
    const builtIn = ["ci", "cit", "i", "install", "exec"];
    const unknown = own.filter((name) => !builtIn.includes(name) && scripts.scripts[name] === undefined);
    expect(own).toContain("start");
    expect(unknown).toEqual([]);
  });

  test("is short, and shows on its first screen what Slipway is, how it looks and the two commands", () => {
    const lines = readme.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(120);
    expect(readme.split(/\s+/).length).toBeLessThan(5 * 250);
    const firstScreen = lines.slice(0, 25).join("\n");
    for (const wanted of ["continuous-delivery", "](docs/images/", "./slipway demo", "npm cit"])
      expect(firstScreen).toContain(wanted);
  });

  test("has pictures that load fast", () => {
    const pictures = [...readme.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, file = ""]) => file);
    expect(pictures.length).toBeGreaterThan(0);
    for (const file of pictures)
      expect(statSync(new URL(`../../${file}`, import.meta.url)).size).toBeLessThanOrEqual(150 * 1024);
  });
});

describe("a document", () => {
  const documents = repositoryFiles().filter((path) => /^(README|docs\/(tutorials\/)?[^/]+)\.md$/.test(path));

  test.each(documents)("%s links only to files and parts that there are", (path) => {
    const text = readRepositoryFile(path);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, file = "", part]) => {
      const target = file === "" ? path : join(dirname(path), file);
      if (!existsSync(new URL(`../../${target}`, import.meta.url))) return true;
      return part !== undefined && !partsOf(readRepositoryFile(target)).includes(part);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});
