import { expect, test } from "vitest";
import { readRepositoryFile, repositoryFiles } from "./sourceFiles.ts";

const guide = readRepositoryFile("CONTRIBUTING.md");
/** Where files of the product can touch what exists, by the heading of the guide, and the words that show it. */
const places: Readonly<Record<string, { folders: readonly string[]; words: RegExp }>> = {
  "offline-service": {
    folders: ["shared/", "functions/", "docs/job-kinds.md"],
    words: /offline-service|offlineService/,
  },
  msteams: { folders: ["shared/", "functions/", "console/src/"], words: /msteams/ },
  gitee: { folders: ["shared/", "functions/", "console/src/"], words: /\bgitee\b/ },
  Statistics: { folders: ["console/src/"], words: /statisticsQueries|Statistics\b/ },
};

const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`((?:shared|functions|console|docs|test)\/[\w./-]+)`/g)].map(([, path = ""]) => path);

const listedUnder = (example: string): string[] => {
  const [, part = ""] = guide.split(`(like \`${example}\`)\n`);
  const [own = ""] = part.split("\n## ");
  return pathsIn(own);
};

test.each(Object.entries(places))(
  "the guide lists what %s touches, and nothing else",
  (example, { folders, words }) => {
    const touched = repositoryFiles().filter(
      (path) =>
        folders.some((folder) => path.startsWith(folder)) && (words.test(readRepositoryFile(path)) || words.test(path)),
    );
    expect(listedUnder(example).sort()).toEqual(touched.sort());
  },
);

test("the guide names files that exist", () => {
  const known = new Set(repositoryFiles());
  const isFolder = (path: string) => [...known].some((file) => file.startsWith(path));
  expect(pathsIn(guide).filter((path) => !known.has(path) && !isFolder(path))).toEqual([]);
  expect(listedUnder("retention").length).toBeGreaterThanOrEqual(5);
});
