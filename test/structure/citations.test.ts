import { expect, test } from "vitest";
import { readRepositoryFile, sourceFiles } from "./sourceFiles.ts";

/** The pages of the contract that are in the repository, by the letter that comments use. */
const pages: Readonly<Record<string, string>> = {
  ...{ I: "identity", P: "projects", W: "workflows", D: "delivery" },
  decisions: "decisions",
};

/** `contract W 8.3, 8.6, I 2.1` and `decisions 6.7` in comments: page and section of each. */
function citationsIn(text: string): { page: string; section: string }[] {
  return [
    ...text.matchAll(/\b(?:contract ([A-Z])|(decisions)) (\d+(?:\.\d+)*(?:(?:,? and|,) (?:[IPWD] )?\d+(?:\.\d+)*)*)/g),
  ].flatMap(([, letter, decisions, list = ""]) => {
    let page = letter ?? decisions ?? "";
    return [...list.matchAll(/(?:([IPWD]) )?(\d+(?:\.\d+)*)/g)].map(([, other, section = ""]) => {
      page = other ?? page;
      return { page, section };
    });
  });
}

/** Numbers of headings, of rows and entries that begin with one, and of the entries of a numbered list below a heading. */
function sectionsOf(page: string): Set<string> {
  const found = new Set<string>();
  let heading = "";
  for (const line of readRepositoryFile(`docs/contract/${pages[page]}.md`).split("\n")) {
    const [, number = ""] = /^(?:#+ |\| *|[-*] |\*\*)*(\d+(?:\.\d+)*)[. :|]/.exec(line) ?? [];
    if (line.startsWith("#")) heading = number;
    if (number !== "") found.add(number).add(`${heading}.${number}`);
  }
  return found;
}

test("comments cite sections of the contract that are there", () => {
  const sections = new Map(Object.keys(pages).map((page) => [page, sectionsOf(page)]));
  const cited = sourceFiles("infra", "functions", "shared", "test").flatMap(({ path, text }) =>
    citationsIn(text)
      .filter(({ page }) => pages[page] !== undefined)
      .map((one) => ({ path, ...one })),
  );
  expect(cited.length).toBeGreaterThan(750);
  const lost = cited.filter(({ page, section }) => sections.get(page)?.has(section) !== true);
  expect(lost.map(({ path, page, section }) => `${path} cites ${page} ${section}`)).toEqual([]);
});
