import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sweepRuns } from "../../../../shared/packaging/helm/runHelm.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-sweep-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function made(name: string, minutesAgo: number): void {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, "values.yaml"), "color: green");
  const at = Date.now() / 1000 - minutesAgo * 60;
  utimesSync(path, at, at);
}

test("folders of runs that were killed go; those of runs under way and of others stay", async () => {
  made("slipway-helm-killed", 61);
  made("slipway-helm-running", 14);
  made("slipway-other", 61);
  await sweepRuns(folder);
  expect(readdirSync(folder).sort()).toEqual(["slipway-helm-running", "slipway-other"]);
});

test("a folder that is not there holds nothing to sweep", async () => {
  await sweepRuns(join(folder, "none"));
  expect(readdirSync(folder)).toEqual([]);
});
