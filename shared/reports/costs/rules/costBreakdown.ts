import type { Prices } from "./prices.ts";
import { together, type Used } from "./used.ts";

/** What something costs, in the spelling of the wire: money by what was used, each with how much of it there was. */
interface Charged {
  total: number;
  parts: Record<ChargedPart, { amount: number; cost: number }>;
}

export const chargedParts = [
  "vcpu_seconds",
  "gb_seconds",
  "lambda_requests",
  "lambda_gb_seconds",
  "transitions",
  "read_units",
  "write_units",
] as const;
export type ChargedPart = (typeof chargedParts)[number];

const hour = 3600;
const mibInGb = 1024;
const million = 1_000_000;

/** At these prices. Amounts have up to three places, money six: a task without pods costs less than a thousandth of a dollar. */
export function costBreakdown(given: Used, prices: Prices): Charged {
  const used = together(given);
  const lines: Record<ChargedPart, [amount: number, price: number]> = {
    vcpu_seconds: [used.cpuMilliSeconds / 1000, prices.vcpuHour / hour],
    gb_seconds: [used.memoryMibSeconds / mibInGb, prices.gbHour / hour],
    lambda_requests: [used.lambdaRequests, prices.millionLambdaRequests / million],
    lambda_gb_seconds: [used.lambdaMibSeconds / mibInGb, prices.lambdaGbSecond],
    transitions: [used.transitions, prices.thousandTransitions / 1000],
    read_units: [used.readUnits, prices.millionReadUnits / million],
    write_units: [used.writeUnits, prices.millionWriteUnits / million],
  };
  const parts = Object.entries(lines).map(([part, [amount, price]]) => [
    part,
    { amount: rounded(amount, 3), cost: rounded(amount * price, 6) },
  ]);
  const total = Object.values(lines).reduce((sum, [amount, price]) => sum + amount * price, 0);
  return { total: rounded(total, 6), parts: Object.fromEntries(parts) };
}

function rounded(value: number, places: number): number {
  return Number(value.toFixed(places));
}
