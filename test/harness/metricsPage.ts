import { expect } from "vitest";
import type { Slipway } from "./slipway.ts";

/** What `/metrics` says now. */
export async function readMetrics(slipway: Slipway): Promise<string> {
  const { status, text } = await slipway.call("GET", "/metrics");
  expect(status, text).toBe(200);
  return text;
}

/** The value of a series; undefined when there is none. */
export function seriesIn(text: string, series: string): number | undefined {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
