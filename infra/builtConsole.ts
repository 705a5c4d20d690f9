import { execFileSync } from "node:child_process";
import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isPackage, root as project } from "./program.ts";

const root = join(project, "console");

/** Run by Node.js, it builds the console's files. */
export const consoleBuild = join(root, "build.ts");

/** Where they are then. */
export const consoleOutput = join(root, "dist");

/** Whether the console was built since its sources changed; a package has no sources. */
export function isConsoleBuilt(): boolean {
  if (isPackage) return true;
  const built = join(consoleOutput, "index.html");
  if (!existsSync(built)) return false;
  const files = [join(root, "src"), join(project, "clients/typescript")].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry: Dirent) => entry.isFile())
      .map((entry: Dirent) => join(entry.parentPath, entry.name)),
  );
  const builtAt = statSync(built).mtimeMs;
  const sources = [...files, consoleBuild, ...["index.html", "package.json"].map((name) => join(root, name))];
  return sources.every((file) => statSync(file).mtimeMs <= builtAt);
}

/** Builds the console where its sources changed. @returns the folder with its files */
export function builtConsole(): string {
  if (!isConsoleBuilt()) execFileSync(process.execPath, [consoleBuild], { stdio: ["ignore", "ignore", "inherit"] });
  return consoleOutput;
}
