import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTable } from "../../infra/local/table/startTable.ts";
import { bootstrapAdministrator } from "../../shared/access/identity/session/bootstrapAdministrator.ts";
import { removeConfig } from "../../shared/base/settings/config.ts";
import { statisticKeys } from "../../shared/base/store/keys/statisticKeys.ts";
import { table } from "../../shared/base/store/table.ts";
import { overwrite } from "../../shared/base/store/writes.ts";
import type { Amounts } from "../../shared/reports/statistics/rules/jobRow.ts";
import { countDay, everyProject, shardCount } from "../../shared/reports/statistics/store/dayCounters.ts";
import { writeCounted } from "../../shared/reports/statistics/store/writeCounted.ts";
import { adminToken } from "../harness/slipway.ts";
import { storeCallsOf } from "../harness/storeCallsOf.ts";
import { median, number, timed } from "./figures.ts";
import { printTable, progress } from "./report.ts";
import { quick } from "./settings.ts";

const projects = Array.from({ length: quick ? 5 : 50 }, (_, at) => `project-${at + 1}`);
const days = quick ? 30 : 365;
const rounds = quick ? 3 : 41;
const writers = [1, 4, 16];
const seconds = quick ? 0.3 : 3;
const daySeconds = 86_400;

/** What a year of fifty projects costs to read, and how fast one project's numbers of a day can be counted. */
export async function benchStatistics(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  process.env.SLIPWAY_LOG_FILE = join(dataDir, "log.ndjson");
  const started = openTable(dataDir);
  try {
    removeConfig();
    await bootstrapAdministrator({ adminToken });
    await fill();
    await printReads();
    await printWrites();
  } finally {
    started.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const end = Math.floor(Date.now() / 1000);
const start = end - (days - 1) * daySeconds;
const dayAt = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, "YYYY-MM-DD".length);
const amounts: Amounts = { success: 40, failure: 8, timeout: 2, total: 50, seconds: 6000 };

/** Every day has met a crowd: its numbers stand in as many items as there can be. */
async function fill(): Promise<void> {
  progress(`${days} days of ${projects.length} projects`);
  for (const of of [...projects, everyProject]) {
    const items = Array.from({ length: days }, (_, at) => dayAt(start + at * daySeconds)).flatMap((day) =>
      Array.from({ length: shardCount }, (_, shard) => statisticKeys.statistics("build", of, day, shard)),
    );
    for (let at = 0; at < items.length; at += 100)
      await table().write(
        ...items.slice(at, at + 100).map((key) => overwrite({ ...key, type: "statistics", ...amounts })),
      );
  }
}

async function printReads(): Promise<void> {
  const range = `startDate=${start}&endDate=${end}`;
  const named = projects.map((project) => `projectKey=${project}`).join("&");
  const asked = {
    "all projects together": range,
    "one project": `${range}&projectKey=${projects[0]}`,
    [`${projects.length} projects by name`]: `${range}&${named}`,
  };
  const rows: string[][] = [];
  for (const [what, query] of Object.entries(asked)) {
    const path = `/openapi/statistics/build?${query}`;
    await storeCallsOf("GET", path);
    const milliseconds: number[] = [];
    let measured = await storeCallsOf("GET", path);
    for (let round = 0; round < rounds; round++) {
      const { result, milliseconds: took } = await timed(() => storeCallsOf("GET", path));
      measured = result;
      milliseconds.push(took);
    }
    const { status, body, calls, units } = measured;
    if (status !== 200 || (JSON.parse(body) as { data: unknown[] }).data.length !== days)
      throw new Error(`GET ${path}: ${status} ${body.slice(0, 200)}`);
    const queries = calls.filter(({ kind }) => kind === "query").length;
    rows.push([
      what,
      String(calls.length - queries),
      String(queries),
      number(units, 1),
      number(median(milliseconds), 1),
    ]);
  }
  printTable(
    `Reading ${days} days of ${projects.length} projects`,
    `The whole request at the table of one machine, each day in ${shardCount} items; medians of ${rounds} rounds.`,
    ["statistics of builds", "calls for the caller's rights", "queries, all at once", "read units", "ms"],
    rows,
  );
}

async function printWrites(): Promise<void> {
  progress("counting on one day of one project");
  const rows: string[][] = [];
  for (const many of writers) {
    const until = performance.now() + seconds * 1000;
    let counted = 0;
    let given = 0;
    const write = async () => {
      while (performance.now() < until) {
        given += 1;
        const done = await writeCounted((shard) =>
          countDay("build", "crowd", dayAt(end), { success: 1, total: 1 }, shard),
        ).then(
          () => true,
          () => false,
        );
        if (done) counted += 1;
      }
    };
    await Promise.all(Array.from({ length: many }, write));
    rows.push([String(many), number(counted / seconds), String(given - counted)]);
  }
  printTable(
    "Counting on one day of one project",
    `Transactions of two items, ${seconds} s each; SQLite takes one write after the other.`,
    ["at once", "a second", "given up"],
    rows,
  );
}
