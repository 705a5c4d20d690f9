import { expect, test } from "vitest";
import { type Figure, figures } from "../../../shared/base/metrics/figures.ts";
import { readable, resourcesOf } from "./synthesized.ts";

const [dashboard] = Object.values(resourcesOf("AWS::CloudWatch::Dashboard"));

test("the dashboard shows every metric that functions measure in their logs, under the dimension that they write", () => {
  const body = readable(dashboard?.Properties.DashboardBody);
  const shown = [...body.matchAll(/"Slipway","(\w+)","Installation","(\w+)"/g)].map(([, name, value]) => [name, value]);
  const names = Object.values(figures).flatMap(({ metric }: Figure) =>
    metric === undefined ? [] : typeof metric.name === "string" ? [metric.name] : Object.values(metric.name.names),
  );
  expect([...new Set(shown.map(([name]) => name))].sort()).toEqual(names.sort());
  expect(new Set(shown.map(([, value]) => value))).toEqual(new Set(["Slipway"]));
});
