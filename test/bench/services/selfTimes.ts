import type { Profiler } from "node:inspector";

export interface FunctionTime {
  /** Name, file and package it belongs to. */
  where: string;
  milliseconds: number;
}

const unspecific = new Set(["(root)", "(idle)"]);

/** Time spent in each function itself, without those that it calls, the longest first. */
export function selfTimes({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): FunctionTime[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [at, id] of samples.entries()) {
    const name = names.get(id) ?? "?";
    if (!unspecific.has(name)) times.set(name, (times.get(name) ?? 0) + (timeDeltas[at] ?? 0) / 1000);
  }
  return [...times]
    .map(([where, milliseconds]) => ({ where, milliseconds }))
    .sort((a, b) => b.milliseconds - a.milliseconds);
}

function nameOf({ functionName, url }: Profiler.ProfileNode["callFrame"]): string {
  const file = /(?:node_modules\/((?:@[^/]+\/)?[^/]+)\/.*|([^/]+\/[^/]+))$/.exec(url);
  const place = file?.[1] ?? file?.[2] ?? url;
  return place === "" ? functionName : `${functionName || "(anonymous)"} in ${place}`;
}
