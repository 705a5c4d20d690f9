import { existsSync } from "node:fs";
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
  test("names only scripts that there are", () => {
    const own = [...readme.matchAll(/(?:`|^|&& )npm (?:run )?([\w:-]+)/gm)].map(([, name = ""]) => name);
    const builtIn = ["ci", "i", "install", "exec"];
    const unknown = own.filter((name) => !builtIn.includes(name) && scripts.scripts[name] === undefined);
    expect(own).toContain("start");
    expect(unknown).toEqual([]);
  });

  test("can be read in five minutes, at 250 words a minute; what is pasted is short", () => {
    const words = readme.replace(/^```sh\n.*?^```$/gms, "").split(/\s+/);
    expect(words.length).toBeLessThan(5 * 250);
    expect(Buffer.byteLength(readme)).toBeLessThan(19_200);
  });
});

describe("a document", () => {
  const documents = repositoryFiles().filter((path) => /^(README|docs\/[^/]+)\.md$/.test(path));

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
