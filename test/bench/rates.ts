import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SqliteEngine } from "../../infra/local/table/sqliteEngine.ts";
import { tableFile } from "../../infra/local/table/startTable.ts";
import { boutique, createBoutique } from "../harness/boutique.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { adminToken, startSlipway } from "../harness/slipway.ts";
import { storeCallsOf } from "../harness/storeCallsOf.ts";
import type { PeerRoute, PeerSetup, TableRead } from "./fastifyPeer.ts";
import { median, number, rotated, times } from "./figures.ts";
import { rateOf } from "./load.ts";
import { atLeast, judged, printTable, progress } from "./report.ts";
import { quick } from "./settings.ts";

const connections = 16;
const seconds = quick ? 0.3 : 3;
const rounds = quick ? 1 : 5;

const reads = {
  project: "/openapi/projects/project/detail?projectKey=shop",
  "projects, a page": "/openapi/projects/project",
  services: "/openapi/service/yaml/services?projectKey=shop",
  "initialization status, public": "/api/aslan/system/initialization/status",
};

export async function benchRates(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  const twin = await startSlipway();
  const slipway = await startProgram({ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_ADMIN_TOKEN: adminToken });
  const peer = fork(fileURLToPath(new URL("./fastifyPeer.ts", import.meta.url)), {
    execArgv: [],
    serialization: "advanced",
  });
  try {
    await createBoutique(slipway, "shop");
    await createBoutique(twin, "shop");
    const routes = await routesOf(slipway);
    peer.send({ file: tableFile(twin.dataDir), routes } satisfies PeerSetup);
    const [peerUrl] = (await once(peer, "message")) as [string];
    const found = await measure([
      { url: slipway.url, pid: slipway.pid },
      { url: peerUrl, pid: peer.pid ?? 0 },
    ]);
    print(found, routes);
  } finally {
    peer.kill();
    await slipway.end("SIGTERM");
    await twin.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/**
 * What Slipway answers is what the peer answers, after the reads that a twin of it in this process makes of its own
 * table: warm, without what is kept in memory.
 */
async function routesOf(slipway: Program): Promise<Record<string, PeerRoute>> {
  const routes: Record<string, PeerRoute> = {};
  for (const path of Object.values(reads)) {
    const { status, json, text } = await slipway.call("GET", path);
    if (status !== 200) throw new Error(`GET ${path}: ${text}`);
    await storeCallsOf("GET", path);
    const reads = await tableReadsOf(() => storeCallsOf("GET", path));
    routes[pathOf(path)] = { reads, answer: json };
  }
  return routes;
}

const pathOf = (path: string): string => path.split("?")[0] ?? path;

/** Every read of the table while `work` runs. */
async function tableReadsOf(work: () => Promise<unknown>): Promise<TableRead[]> {
  const reads: TableRead[] = [];
  const methods = ["get", "getBatch", "queryPage"] as const;
  const originals = methods.map((method) => [method, SqliteEngine.prototype[method]] as const);
  for (const [method, read] of originals)
    Object.assign(SqliteEngine.prototype, {
      [method](this: SqliteEngine, ...given: never[]) {
        reads.push({ method, given: structuredClone(given) });
        return (read as (...all: never[]) => unknown).apply(this, given);
      },
    });
  try {
    await work();
    return reads;
  } finally {
    Object.assign(SqliteEngine.prototype, Object.fromEntries(originals));
  }
}

interface Figures {
  perSecond: number[];
  /** Of the process, a request. */
  processorMilliseconds: number[];
}

type Found = [slipway: Record<string, Figures>, peer: Record<string, Figures>];

async function measure(servers: readonly [slipway: Server, peer: Server]): Promise<Found> {
  const found: Found = [{}, {}];
  for (let round = -1; round < rounds; round++) {
    progress(round < 0 ? "requests a second: warming up" : `requests a second: round ${round + 1} of ${rounds}`);
    for (const [name, path] of Object.entries(reads))
      for (const who of rotated([0, 1] as const, round + 1)) {
        const { url, pid } = servers[who];
        const before = processorMilliseconds(pid);
        const load = { url, path, token: adminToken, connections, seconds: round < 0 ? seconds / 3 : seconds };
        const { perSecond, requests } = await rateOf(load);
        if (round < 0) continue;
        const figures = found[who][name] ?? { perSecond: [], processorMilliseconds: [] };
        found[who][name] = figures;
        figures.perSecond.push(perSecond);
        figures.processorMilliseconds.push((processorMilliseconds(pid) - before) / requests);
      }
  }
  return found;
}

interface Server {
  url: string;
  pid: number;
}

/** What a process has used so far, user and system, all threads; ticks of Linux are a hundredth of a second. */
function processorMilliseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function print([ours, theirs]: Found, routes: Record<string, PeerRoute>): void {
  const rows = Object.entries(reads).map(([name, path]) => {
    const middle = (of: Record<string, Figures>, what: keyof Figures) => median(of[name]?.[what] ?? []);
    const rate = middle(ours, "perSecond") / middle(theirs, "perSecond");
    const processor = middle(ours, "processorMilliseconds") / middle(theirs, "processorMilliseconds");
    return [
      name,
      String(routes[pathOf(path)]?.reads.length),
      ...[number(middle(ours, "perSecond")), number(middle(theirs, "perSecond")), times(rate)],
      ...judged(atLeast(rate, 0.8, times)),
      middle(ours, "processorMilliseconds").toFixed(2),
      times(processor),
    ];
  });
  const header = [
    ...["GET", "round trips", "Slipway, a second", "fastify, a second", "Slipway ÷ fastify", "goal", "verdict"],
    ...["processor, ms", "÷ fastify"],
  ];
  const how =
    `\`npm start\` on one machine (${boutique.size} services, table in SQLite) against fastify with the same table, the ` +
    `same requests to a table with the same content one after the other, and the same body; ${connections} kept connections, ${seconds} s a ` +
    `run, medians of ${rounds} alternating runs. Processor: of the server's process, the table included.`;
  printTable("Requests a second", how, header, rows);
}
