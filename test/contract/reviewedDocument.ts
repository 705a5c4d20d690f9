import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenApi } from "./document.ts";

const root = join(import.meta.dirname, "../..");
const program = `
import { declaredDocument } from "./functions/api/meta/declaredDocument.ts";
process.stdout.write(JSON.stringify(declaredDocument()));
`;

/**
 * The OpenAPI document of the commit that changed `file` last, made by that commit's own code; undefined where the history
 * or the code of then is not to be had.
 */
export function documentWhenChanged(file: string): OpenApi | undefined {
  const directory = mkdtempSync(join(tmpdir(), "slipway-reviewed-"));
  const run = (command: string, args: readonly string[], cwd: string, input?: Buffer) =>
    execFileSync(command, args, { cwd, input, maxBuffer: 1024 ** 3, stdio: ["pipe", "pipe", "ignore"] });
  try {
    const commit = run("git", ["log", "-1", "--format=%H", "--", file], root).toString().trim();
    const archive = run("git", ["archive", commit, "package.json", "shared", "functions"], root);
    run("tar", ["-x"], directory, archive);
    symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
    const node = join(root, "node_modules/.bin/node");
    return JSON.parse(run(node, ["--input-type=module", "-e", program], directory).toString()) as OpenApi;
  } catch {
    return undefined;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
