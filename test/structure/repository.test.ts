import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { readRepositoryFile, repositoryFiles, sourceFiles } from "./sourceFiles.ts";

const texts = repositoryFiles()
  .filter((path) => !/\.(png|jpg|ico|gz|webp|zip|woff2?)$/.test(path))
  .map((path) => ({ path, text: readRepositoryFile(path) }));
const own = texts.filter(({ path }) => !/^examples\/|^package-lock\.json$|\.ndjson$/.test(path));

/** Lines that hold the pattern, as `file:line: text`. */
function linesWith(pattern: RegExp, among = own): string[] {
  return among.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${line.trim().slice(0, 120)}`] : [])),
  );
}

/** Written in parts, so that this file does not hold what it looks for. */
const joined = (...parts: string[]): string => parts.join("");

describe("the repository", () => {
  test("prints only where it runs on one machine", () => {
    const printing = sourceFiles("shared", "functions", "infra/aws");
    expect(linesWith(/\bconsole\.\w+\(/, printing)).toEqual([]);
  });

  test("names no package registry: those are settings of the machine", () => {
    const hosts = [joined("registry.", "npmjs"), joined("pypi", ".org"), joined("crates", ".io")];
    expect(linesWith(new RegExp(hosts.map((host) => host.replaceAll(".", "\\.")).join("|")), texts)).toEqual([]);
  });

  test("names no path of a machine that it was written on", () => {
    const homes = ["work", "root", "home", "Users"].map((folder) => `["'\`( ]/${folder}/`);
    expect(linesWith(new RegExp(homes.join("|")))).toEqual([]);
  });

  test("speaks of the software, not of how it came about", () => {
    const words = [
      joined("assis", "tant"),
      joined("language ", "model"),
      joined("(this|another|previous|next) ses", "sion"),
      joined("issue ", "#?\\d"),
      joined("TO", "DO"),
      joined("FIX", "ME"),
      joined("place", "holder (?:for now|implementation)"),
    ];
    expect(linesWith(new RegExp(`\\b(${words.join("|")})\\b`))).toEqual([]);
  });

  test("turns no check of the compiler off", () => {
    const escapes = [joined("@ts-", "ignore"), joined("@ts-", "nocheck"), joined("@ts-", "expect-error")];
    expect(linesWith(new RegExp(escapes.join("|")))).toEqual([]);
  });

  test("names a file that has one export after it", () => {
    const fixed = /(?:routes|schemas|handler|definition|wire)$/i;
    const files = sourceFiles("shared", "functions").filter(({ path }) => !fixed.test(basename(path, ".ts")));
    const misnamed = files.flatMap(({ path, text }) => {
      const names = [...text.matchAll(/^export (?:async |abstract )?(\w+)\*? (\w+)/gm)].map(([, kind, name = ""]) => ({
        name,
        isValue: kind !== "type" && kind !== "interface",
      }));
      if (names.filter(({ isValue }) => isValue).length !== 1) return [];
      if (names.some(({ name }) => shareAWord(name, basename(path, ".ts")))) return [];
      return [`${path} exports ${names.map(({ name }) => name).join(", ")}`];
    });
    expect(files.length).toBeGreaterThan(100);
    expect(misnamed).toEqual([]);
  });

  test("keeps functions small enough to read: no file of the product has more than 400 lines", () => {
    const long = sourceFiles("shared", "functions").filter(({ text }) => text.split("\n").length > 400);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test("has handlers of endpoints of at most ten lines each", () => {
    const handlers = sourceFiles("functions/api").filter(({ path }) => path.endsWith("/handler.ts"));
    const bodies = handlers.flatMap(({ path, text }) =>
      [...text.matchAll(/^ {2,4}(\w+): async .*=> \{\n([\s\S]*?)\n {2,4}\},$/gm)].map(([, name, body = ""]) => ({
        name: `${path}: ${name}`,
        lines: body.split("\n").length,
      })),
    );
    expect(bodies.length).toBeGreaterThan(20);
    expect(bodies.filter(({ lines }) => lines > 10)).toEqual([]);
  });
});

/** `theTable` and `table`, `ownersOn` and `resolveOwner`, `concluded` and `conclusion`: words with the same beginning. */
function shareAWord(a: string, b: string): boolean {
  const [ofA, ofB] = [stemsOf(a), stemsOf(b)];
  return ofA.some((one) => ofB.some((other) => one.startsWith(other) || other.startsWith(one)));
}

function stemsOf(name: string): string[] {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[ -]/);
  return words.map((word) => word.slice(0, 5));
}
