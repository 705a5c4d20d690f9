import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { grafanaDashboard } from "../../infra/grafana/dashboard.ts";
import { figures } from "../../shared/base/metrics/figures.ts";
import { readMetrics } from "../harness/metricsPage.ts";
import { startSlipway } from "../harness/slipway.ts";

const expressions = grafanaDashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const metrics = new Set(
  expressions.flatMap((expression) => expression.match(/\b(slipway|process|nodejs)_[a-z0-9_]+/g) ?? []),
);

test("the dashboard for Grafana is what the code makes of it (npm run docs:grafana)", async () => {
  const text = `${JSON.stringify(grafanaDashboard(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../docs/grafana.json");
});

test("every query names metrics that are on the page, and every figure but round trips is shown", async () => {
  const slipway = await startSlipway();
  onTestFinished(() => slipway.close());
  const page = await readMetrics(slipway);
  const declared = new Map(
    [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", kind = ""]) => [name, kind]),
  );
  const shown = [...metrics].map((metric) => {
    const histogram = metric.replace(/_(bucket|count|sum)$/, "");
    return declared.get(histogram) === "histogram" ? histogram : metric;
  });
  expect(shown.filter((name) => !declared.has(name))).toEqual([]);
  const all = Object.values(figures).map(({ name }) => name);
  expect(all.filter((name) => !shown.includes(name))).toEqual([figures.storeCalls.name]);
}, 60_000);

test("every query is one that Prometheus understands", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-grafana-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const rules = expressions.map((expr, at) => ({
    ...{ record: `query_${at}`, expr: expr.replaceAll("$__rate_interval", "5m") },
  }));
  const file = join(folder, "rules.yaml");
  writeFileSync(file, JSON.stringify({ groups: [{ name: "queries", rules }] }));
  const { error, status, stdout, stderr } = spawnSync("promtool", ["check", "rules", file], { encoding: "utf8" });
  if (error !== undefined) context.skip("promtool of Prometheus is not installed");
  expect([status, stderr], stdout).toEqual([0, ""]);
});
