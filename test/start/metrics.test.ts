import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startProgram } from "../harness/program.ts";
import { adminToken } from "../harness/slipway.ts";

test("metrics are for the administrator and the scrape token, which opens nothing else", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "slipway-metrics-"));
  const scrape = "s".repeat(32);
  const program = await startProgram({
    SLIPWAY_DATA_DIR: dataDir,
    SLIPWAY_ADMIN_TOKEN: adminToken,
    SLIPWAY_METRICS_TOKEN: scrape,
  });
  onTestFinished(async () => {
    await program.end("SIGTERM");
    rmSync(dataDir, { recursive: true, force: true });
  });
  const ask = async (path: string, token?: string) =>
    fetch(`${program.url}${path}`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  expect((await ask("/openapi.json")).status).toBe(200);
  expect((await ask("/metrics")).status).toBe(401);
  expect((await ask("/metrics", "x".repeat(32))).status).toBe(401);
  expect((await ask("/openapi/projects/project", scrape)).status).toBe(401);
  expect((await ask("/metrics", adminToken)).status).toBe(200);
  const answer = await ask("/metrics", scrape);
  expect(answer.headers.get("content-type")).toContain("text/plain; version=0.0.4");
  expect(await answer.text()).toContain('_count{method="GET",route="/openapi.json",status="200"} 1\n');
}, 60_000);
