import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { declarations, notYet } from "../security/declarations.ts";
import { readRepositoryFile } from "./sourceFiles.ts";

const readme = readRepositoryFile("README.md");
const states = new Map(
  [...readme.matchAll(/^\| `([A-Z]+ \/[^`]*)` +\| (works|not yet) +\|$/gm)].map(([, name = "", state = ""]) => [
    name,
    state,
  ]),
);

/** As the README writes them: parameters with a colon, without their forms. */
const named = ({ route }: (typeof declarations)[number]) => `${route.method} ${route.path.replace(/\([a-z]+\)/g, "")}`;
const scripts = JSON.parse(readRepositoryFile("package.json")) as { scripts: Record<string, string> };

describe("the README", () => {
  test("says of every endpoint whether it works, as the declarations have it", () => {
    const wanted = new Map([
      ...declarations.map((declaration) => [named(declaration), "works"] as const),
      ...notYet.map((declaration) => [named(declaration), "not yet"] as const),
    ]);
    expect(wanted.size).toBe(declarations.length + notYet.length);
    const missing = [...wanted].filter(([name, state]) => states.get(name) !== state);
    expect(missing.map(([name, state]) => `| \`${name}\` | ${state} |`).sort(), "rows that are missing").toEqual([]);
    expect(
      [...states.keys()].filter((name) => !wanted.has(name)),
      "rows of no endpoint",
    ).toEqual([]);
  });

  test("names only scripts that there are", () => {
    const own = [...readme.matchAll(/(?:`|^|&& )npm (?:run )?([\w:-]+)/gm)].map(([, name = ""]) => name);
    const builtIn = ["ci", "i", "install", "exec"];
    const unknown = own.filter((name) => !builtIn.includes(name) && scripts.scripts[name] === undefined);
    expect(own).toContain("start");
    expect(unknown).toEqual([]);
  });

  test("links only to files that there are", () => {
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = ""]) => target);
    expect(links.filter((target) => !existsSync(new URL(`../../${target}`, import.meta.url)))).toEqual([]);
  });
});
