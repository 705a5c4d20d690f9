import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTable } from "../../infra/local/table/startTable.ts";
import { bootstrapAdministrator } from "../../shared/access/identity/session/bootstrapAdministrator.ts";
import { removeConfig } from "../../shared/base/settings/config.ts";
import { provideTable } from "../../shared/base/store/table.ts";
import { TableClient } from "../../shared/base/store/tableClient.ts";
import { adminToken } from "../harness/slipway.ts";
import { storeCallsOf } from "../harness/storeCallsOf.ts";
import { median, number, rotated, timed, times } from "./figures.ts";
import { fillList, fillLog } from "./fill.ts";
import { atMost, judged, printTable, progress } from "./report.ts";
import { quick } from "./settings.ts";

const sizes = quick ? ([1_000, 2_000] as const) : ([1_000, 100_000] as const);
const rounds = quick ? 3 : 41;
const pages = [1, 2, 20];
const maxGrowth = 1.2;

const lists = {
  projects: (page: number) => `/openapi/projects/project?pageNum=${page}`,
  "operation log": operations("searchType=all"),
  "of one project": operations("searchType=project&projectKey=shop-1"),
  "of six projects": operations("searchType=project&projectKey=shop"),
  "of one user": operations("searchType=user&username=Ada"),
  "of one function": operations("searchType=function&function=Test"),
  "of two functions": operations("searchType=function&function=Environment"),
  "of one status": operations("searchType=status&status=403"),
  "of an environment": operations("searchType=all&projectKey=shop-1&envName=qa", "/env"),
};

function operations(search: string, of = ""): (page: number) => string {
  return (page) => `/openapi/system/operation${of}?${search}&page=${page}&perPage=20`;
}

interface Cost {
  units: number;
  milliseconds: number[];
}

export async function benchPages(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  process.env.SLIPWAY_LOG_FILE = join(dataDir, "log.ndjson");
  const tables = openTables(dataDir, sizes);
  try {
    for (const size of sizes) {
      progress(`filling a table with ${size} records of each kind`);
      tables.use(size);
      await bootstrapAdministrator({ adminToken });
      await fillList(size);
      await fillLog(size);
    }
    print(await measure(tables));
  } finally {
    tables.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

export interface SizedTables {
  /** Makes `table()` the one of this size. */
  use(size: number): void;
  close(): void;
}

/** A table of its own for each size, below a folder. */
export function openTables(dataDir: string, wanted: readonly number[]): SizedTables {
  const opened = new Map(
    wanted.map((size) => {
      const folder = join(dataDir, String(size));
      mkdirSync(folder);
      return [size, openTable(folder)] as const;
    }),
  );
  return {
    use: (size) => {
      const started = opened.get(size);
      if (started === undefined) throw new Error(`there is no table of ${size}`);
      provideTable(new TableClient(started.engine));
      removeConfig();
    },
    close: () => {
      for (const { close } of opened.values()) close();
    },
  };
}

/** All pages of both tables in turn, round by round. */
async function measure(tables: SizedTables): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>();
  for (let round = -1; round < rounds; round++)
    for (const size of rotated(sizes, round + 1)) {
      tables.use(size);
      await read(lists.projects(1));
      for (const [list, pathOf] of Object.entries(lists))
        for (const page of pages) {
          const { result: units, milliseconds } = await timed(() => read(pathOf(page)));
          const key = `${list}#${page}#${size}`;
          const cost = costs.get(key) ?? { units, milliseconds: [] };
          costs.set(key, cost);
          if (round >= 0) cost.milliseconds.push(milliseconds);
        }
    }
  return costs;
}

async function read(path: string): Promise<number> {
  const { status, body, units } = await storeCallsOf("GET", path);
  if (status !== 200 || body.length < 100) throw new Error(`GET ${path}: ${status} ${body}`);
  return units;
}

function print(costs: ReadonlyMap<string, Cost>): void {
  const rows = Object.keys(lists).flatMap((list) =>
    pages.map((page) => {
      const [small, large] = sizes.map((size) => costs.get(`${list}#${page}#${size}`));
      if (small === undefined || large === undefined) throw new Error(`${list} was not measured`);
      const units = large.units / small.units;
      const time = median(large.milliseconds) / median(small.milliseconds);
      return [
        list,
        String(page),
        String(small.units),
        String(large.units),
        times(units),
        ...judged(atMost(units, maxGrowth, times)),
        number(median(small.milliseconds), 1),
        number(median(large.milliseconds), 1),
        times(time),
        ...judged(atMost(time, maxGrowth, times)),
      ];
    }),
  );
  const [few, many] = sizes.map((size) => size.toLocaleString("en"));
  const header = [
    "list",
    "page",
    `units at ${few}`,
    `units at ${many}`,
    "ratio",
    "goal",
    "verdict",
    `ms at ${few}`,
    `ms at ${many}`,
    "ratio",
    "goal",
    "verdict",
  ];
  const how = `The whole request at the table of one machine, pages of 20; medians of ${rounds} alternating rounds.`;
  printTable("Cost of a page", how, header, rows);
}
