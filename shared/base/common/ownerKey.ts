/** What runs as tasks beside workflows: tests and code scans (contract W 12, 13). */
export type QualityKind = "test" | "scan";
export type OwnerKind = "workflow" | QualityKind;

const prefixes = { test: "zadig-testing-", scan: "zadig-scanning-" } as const;

/** Characters of a key: a prefix, a project of 63, a colon and a name of 64 (decisions 1.7). */
export const longestOwnerKey = Math.max(prefixes.test.length, prefixes.scan.length) + 63 + 1 + 64;

/**
 * The key under which the tasks of a test or a scan are kept, in place of a workflow's. Its project is in it, because
 * names are unique in their project alone (contract W 13.1); no workflow's key has a colon.
 */
export function qualityKey(kind: QualityKind, projectKey: string, name: string): string {
  return `${prefixes[kind]}${projectKey}:${name}`;
}

/** Whose tasks are kept under a key. */
export function ownerKindOf(key: string): OwnerKind {
  if (!key.includes(":")) return "workflow";
  if (key.startsWith(prefixes.test)) return "test";
  return key.startsWith(prefixes.scan) ? "scan" : "workflow";
}
