import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { readRepositoryFile, repositoryFiles } from "../structure/sourceFiles.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Locked {
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
  link?: boolean;
  resolved?: string;
}

const { packages } = JSON.parse(readRepositoryFile("package-lock.json")) as { packages: Record<string, Locked> };

/** Copies what a clone has after `npm ci --omit=dev --omit=optional`; packages are hard links where the file system has them. */
function strippedClone(): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-stripped-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sources = repositoryFiles().filter((path) =>
    /^(clients|console|examples|functions|infra|shared|package|slipway)/.test(path),
  );
  // What stands in another package comes along with it.
  const installed = Object.entries(packages).filter(
    ([path, { dev, optional, devOptional, link }]) =>
      path.split("node_modules/").length === 2 && !dev && !optional && !devOptional && !link,
  );
  const lists = sources.concat(
    installed.map(([path]) => path),
    "node_modules/.bin/node",
  );
  copy(lists, folder);
  for (const [path, { link, resolved = "" }] of Object.entries(packages)) {
    if (!link) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(folder, resolved), join(folder, path));
  }
  writeFileSync(join(folder, "node_modules/.package-lock.json"), "{}");
  return folder;
}

function copy(paths: readonly string[], folder: string): void {
  const links = spawnSync("cp", ["-al", "--parents", ...paths, folder], { cwd: root, encoding: "utf8" });
  if (links.status === 0) return;
  const files = spawnSync("tar", ["-cf", join(folder, "all.tar"), ...paths], { cwd: root, encoding: "utf8" });
  expect(files).toMatchObject({ status: 0 });
  expect(spawnSync("tar", ["-xf", "all.tar"], { cwd: folder })).toMatchObject({ status: 0 });
}

test("the demo runs without the optional packages; the console, which needs some, says what to do", {
  timeout: 180_000,
}, async () => {
  const clone = strippedClone();
  const env = {
    ...{ HOME: join(clone, "home"), PATH: process.env.PATH, SLIPWAY_PORT: "0", SLIPWAY_REGISTRY_PORT: "0" },
    NODE_COMPILE_CACHE: join(tmpdir(), "slipway-compile-cache"),
  };
  const run = (...words: string[]) => spawnSync(join(clone, "slipway"), words, { cwd: clone, env, encoding: "utf8" });
  onTestFinished(() => void run("down"));
  const demo = run("demo");
  expect(demo).toMatchObject({ status: 0 });
  expect(demo.stdout).toContain("Online Boutique runs");
  const [, address = ""] = /Console +could not be built; (\S+) says why/.exec(demo.stdout) ?? [];
  const page = await fetch(address);
  expect([page.status, await page.text()]).toEqual([500, expect.stringContaining("npm ci --include=optional")]);
});
