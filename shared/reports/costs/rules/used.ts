/**
 * What work takes, by how it is charged for. Whole numbers in small units, so that sums are exact in whatever order they are
 * made: thousandths of a vCPU and MiB of pods by second, the memory of functions in MiB by second.
 */
export const usedNames = [
  "cpuMilliSeconds",
  "memoryMibSeconds",
  "lambdaRequests",
  "lambdaMibSeconds",
  "transitions",
  "readUnits",
  "writeUnits",
] as const;

/** What was not used is absent. */
export type Used = Partial<Record<(typeof usedNames)[number], number>>;
export type WholeUse = Required<Used>;

export function together(...many: readonly Used[]): WholeUse {
  return wholeUse((name) => many.reduce((sum, one) => sum + (one[name] ?? 0), 0));
}

export function timesUsed(used: Used, count: number): WholeUse {
  return wholeUse((name) => (used[name] ?? 0) * count);
}

/** What `all` has beyond `part`. */
export function beyond(all: WholeUse, part: Used): WholeUse {
  return wholeUse((name) => all[name] - (part[name] ?? 0));
}

function wholeUse(amount: (name: keyof Used) => number): WholeUse {
  return Object.fromEntries(usedNames.map((name) => [name, amount(name)])) as WholeUse;
}
