import { table } from "../../../shared/base/store/table.ts";
import { allProjects } from "../../../shared/projects/store/projects.ts";
import {
  type Amounts,
  countsOf,
  type StatKind,
  statKinds,
  summed,
} from "../../../shared/reports/statistics/rules/jobRow.ts";
import { correctDay, difference, everyProject, readDay } from "../../../shared/reports/statistics/store/dayCounters.ts";
import { rowsOfDay } from "../../../shared/reports/statistics/store/jobRows.ts";
import {
  correctCases,
  listTestCases,
  readCases,
  removeTestCases,
} from "../../../shared/reports/statistics/store/testCases.ts";
import { tests } from "../../../shared/workflows/jobDefinitions/store/tests.ts";
import { agreed } from "./agreed.ts";
import { countedDays } from "./countedDays.ts";

/** Puts the numbers of yesterday and the day before right. @returns what differed */
export async function recountDays(): Promise<string[]> {
  const projects = (await allProjects()).map(({ projectKey }) => projectKey);
  const corrected: string[] = [];
  for (const day of countedDays()) {
    const found = await agreed(() => differencesOf(day, projects));
    for (const { kind, of, amounts } of found ?? []) {
      await table().write(correctDay(kind, of, day, amounts));
      corrected.push(`${kind} of ${of} on ${day} ${JSON.stringify(amounts)}`);
    }
  }
  return corrected;
}

interface Difference {
  kind: StatKind;
  of: string;
  amounts: Amounts;
}

async function differencesOf(day: string, standing: readonly string[]): Promise<Difference[] | undefined> {
  const rows = await rowsOfDay(day);
  const projects = [...new Set([everyProject, ...standing, ...rows.map(({ projectKey }) => projectKey)])];
  const wanted = projects.flatMap((of) => statKinds.map((kind) => ({ kind, of, day })));
  const stored = await readDay(wanted);
  const counts = rows.flatMap((row) => countsOf(row).map((one) => ({ ...one, projectKey: row.projectKey })));
  const found = wanted.flatMap(({ kind, of }, at): Difference[] => {
    const own = counts.filter((one) => one.kind === kind && (of === everyProject || one.projectKey === of));
    const amounts = difference(summed(own.map((one) => one.amounts)), stored[at] ?? summed([]));
    return amounts === undefined ? [] : [{ kind, of, amounts }];
  });
  return found.length === 0 ? undefined : found;
}

/** Puts the numbers of cases right, and forgets those of tests that are gone. @returns what differed */
export async function recountCases(): Promise<string[]> {
  const totals = new Map<string, number>();
  for (const { projectKey } of await allProjects()) {
    const names = new Set((await tests.list(projectKey)).map(({ name }) => name));
    const known = await listTestCases(projectKey);
    for (const { test } of known) if (!names.has(test)) await removeTestCases(projectKey, test);
    const left = known.filter(({ test }) => names.has(test));
    totals.set(
      projectKey,
      left.reduce((total, { cases }) => total + cases, 0),
    );
  }
  totals.set(
    everyProject,
    [...totals.values()].reduce((total, cases) => total + cases, 0),
  );
  const corrected: string[] = [];
  for (const [of, counted] of totals) {
    const missing = await agreed(async () => counted - (await readCases([of])) || undefined);
    if (missing === undefined) continue;
    await table().write(correctCases(of, missing));
    corrected.push(`cases of ${of} ${missing}`);
  }
  return corrected;
}
