import type { Key } from "./keys.ts";

/** Keys of what is counted; separate because the list of all others is long enough. */
export const statisticKeys = {
  /** Numbers of a day of one project, or of all (`*`), in as many items as transactions met on it. */
  statistics: (kind: string, of: string, day: string, shard: number): Key => ({
    pk: `stat#${kind}#${of}`,
    sk: `${day}#${shard}`,
  }),
  /** What an ended job was; all that count under a day are stored together, for the recount. */
  jobRow: (day: string, jobId: string): Key => ({ pk: `jobrow#${day}`, sk: jobId }),
  /** The state of a service of a production environment between two deployments. */
  deliveredService: (projectKey: string, envKey: string, service: string): Key => ({
    pk: `delivered#${projectKey}`,
    sk: `${envKey}#${service}`,
  }),
  overview: (shard: number): Key => ({ pk: "stat-overview", sk: String(shard) }),
  testCases: (projectKey: string, test: string): Key => ({ pk: `test-cases#${projectKey}`, sk: test }),
  /** How many cases the tests of a project, or of all (`*`), have. */
  caseTotal: (of: string): Key => ({ pk: `stat#cases#${of}`, sk: "total" }),
  /** What was used on a day: of a project by workflow, of all (`*`) by project. */
  cost: (of: string, day: string, part: string): Key => ({ pk: `cost#${of}`, sk: `${day}#${part}` }),
  /** What a task used until it gave its slot back; all of a day are stored together, for the recount. */
  costRow: (day: string, id: string): Key => ({ pk: `costrow#${day}`, sk: id }),
  /** How far the seeding of statistics has come. */
  statisticsSeed: (): Key => ({ pk: "stat-seed", sk: "seed" }),
} as const;
