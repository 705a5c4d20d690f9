import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../console");

/** Where Debian's Chromium is; undefined where there is none. */
export const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

/** Builds the console as `npm start` does. @returns the folder with what was built */
export function builtConsole(): string {
  execFileSync(process.execPath, [join(root, "build.ts")], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  return join(root, "dist");
}
