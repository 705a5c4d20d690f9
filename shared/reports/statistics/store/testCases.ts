import { mustHaveVersion } from "../../../base/store/conditions.ts";
import { countIn } from "../../../base/store/counters.ts";
import { statisticKeys } from "../../../base/store/keys/statisticKeys.ts";
import { retryOnConflict } from "../../../base/store/retryOnConflict.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { create, remove, replace, type Write } from "../../../base/store/writes.ts";
import { everyProject } from "./dayCounters.ts";

/** How many cases the latest report of a test has (contract D 5.4). */
interface TestCases {
  projectKey: string;
  test: string;
  cases: number;
  /** When the run of that report started, in Unix seconds. */
  startTime: number;
}

/** Notes the cases of a report that a run brought; those of a later run stay. May be repeated. */
export async function recordTestCases(given: TestCases): Promise<void> {
  await retryOnConflict(async () => {
    const before = await find(given.projectKey, given.test);
    if (before !== undefined && before.startTime >= given.startTime) return;
    const item = { ...statisticKeys.testCases(given.projectKey, given.test), type: "test-cases", ...given };
    const change = given.cases - (before?.cases ?? 0);
    await table().write(
      before === undefined ? create(item) : replace(item, before.version),
      ...countCases(given.projectKey, change),
    );
  });
}

/** A test that is gone has no cases. May be repeated. */
export async function removeTestCases(projectKey: string, test: string): Promise<void> {
  await retryOnConflict(async () => {
    const before = await find(projectKey, test);
    if (before === undefined) return;
    const key = statisticKeys.testCases(projectKey, test);
    await table().write(remove(key, mustHaveVersion(before.version)), ...countCases(projectKey, -before.cases));
  });
}

/** Of the projects together, of all when none is named; in one round trip. */
export async function readCases(projectKeys: readonly string[]): Promise<number> {
  const of = projectKeys.length === 0 ? [everyProject] : [...new Set(projectKeys)];
  const items = await table().getMany<{ value: number }>(of.map(statisticKeys.caseTotal), { consistent: false });
  return items.reduce((total, { value }) => total + value, 0);
}

/** Tests of a project that have brought a report; consistent. */
export function listTestCases(projectKey: string): Promise<Item<TestCases>[]> {
  return table().query<TestCases>({ pk: statisticKeys.testCases(projectKey, "").pk });
}

/** Adds to a total that is wrong. */
export function correctCases(of: string, amount: number): Write {
  return countIn(statisticKeys.caseTotal(of), "case-total", { value: amount });
}

function find(projectKey: string, test: string): Promise<Item<TestCases> | undefined> {
  return table().get<TestCases>(statisticKeys.testCases(projectKey, test));
}

function countCases(projectKey: string, amount: number): Write[] {
  if (amount === 0) return [];
  return [projectKey, everyProject].map((of) => correctCases(of, amount));
}
