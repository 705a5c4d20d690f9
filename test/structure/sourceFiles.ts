import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");

export interface SourceFile {
  /** From the root of the repository, for example `shared/base/settings/log.ts`. */
  path: string;
  text: string;
}

export interface Import {
  /** Path from the root for a file of the repository, else the package or `node:` module. */
  target: string;
  /** Only types: gone before anything runs. */
  typeOnly: boolean;
  /** Loaded when it is needed, if at all. */
  late: boolean;
}

/** Every file that belongs to the repository and is there, new ones included. */
export function repositoryFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  const isFile = (path: string): boolean => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false;
  return [...new Set(listed.split("\n"))].filter((path) => path !== "" && isFile(path)).sort();
}

export function readRepositoryFile(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** TypeScript files below the given folders. */
export function sourceFiles(...folders: string[]): SourceFile[] {
  return repositoryFiles()
    .filter((path) => path.endsWith(".ts") && folders.some((folder) => path.startsWith(`${folder}/`)))
    .map((path) => ({ path, text: readRepositoryFile(path) }));
}

const statement = /^(?:import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?"([^"]+)"/gm;
const dynamic = /\bimport\(\s*"([^"]+)"\s*\)/g;
/** A part of the path is only known when it runs. */
const dynamicOfMany = /\bimport\(\s*`([^`]+)`\s*\)/g;

export function importsOf({ path, text }: SourceFile): Import[] {
  const found = [
    ...[...text.matchAll(statement)].map(([, type, name = ""]) => ({
      name,
      typeOnly: type !== undefined,
      late: false,
    })),
    ...[...text.matchAll(dynamic)].map(([, name = ""]) => ({ name, typeOnly: false, late: true })),
    ...[...text.matchAll(dynamicOfMany)]
      .flatMap(([, form = ""]) => namesOf(path, form))
      .map((name) => ({ name, typeOnly: false, late: true })),
  ];
  return found.map(({ name, ...how }) => ({ target: targetOf(path, name), ...how }));
}

/** Every file that an import of many can mean, as an import names it. */
function namesOf(path: string, form: string): string[] {
  const folder = dirname(path);
  const [before = "", after = ""] = form.split(/\$\{[^}]*\}/);
  const first = join(folder, before);
  known ??= repositoryFiles();
  return known
    .filter((file) => file.startsWith(`${first}/`) && file.endsWith(after))
    .filter((file) => !file.slice(first.length + 1, -after.length).includes("/"))
    .map((file) => `./${relative(folder, file)}`);
}

let known: string[] | undefined;

function targetOf(path: string, name: string): string {
  if (name.startsWith(".")) return relative(root, join(root, dirname(path), name));
  if (name.startsWith("node:")) return name;
  const parts = name.split("/");
  return parts.slice(0, name.startsWith("@") ? 2 : 1).join("/");
}
