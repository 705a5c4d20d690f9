/** The part of a creation that a caller waits for (decisions 6.1). */
export const checkSeconds = 20;

/** A whole change (decisions 6.2). */
export const wholeChangeSeconds = 30 * 60;

/** Names by their group number, groups in order (contract P 14.3). */
export function groupsOf(services: readonly { name: string; group: number }[]): string[][] {
  const groups = new Map<number, string[]>();
  for (const { name, group } of services) groups.set(group, [...(groups.get(group) ?? []), name]);
  return [...groups].sort(([a], [b]) => a - b).map(([, names]) => names);
}

/** Who reads is told after this, all calls together, that the cluster does not answer, beside what is stored. */
export const silentSeconds = 2.5;
