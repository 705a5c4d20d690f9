import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { boutique, createBoutique } from "../harness/boutique.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { adminToken } from "../harness/slipway.ts";
import { median, number, percent, rotated } from "./figures.ts";
import { requestsPerSecond } from "./load.ts";
import { judged, printTable, progress } from "./report.ts";
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
  const slipway = await startProgram({ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_ADMIN_TOKEN: adminToken });
  const peer = fork(fileURLToPath(new URL("./fastifyPeer.ts", import.meta.url)), { execArgv: [] });
  try {
    await createBoutique(slipway, "shop");
    peer.send(await answersOf(slipway));
    const [peerUrl] = (await once(peer, "message")) as [string];
    const rates = await measure([slipway.url, peerUrl]);
    print(rates);
  } finally {
    peer.kill();
    await slipway.end("SIGTERM");
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What Slipway answers is what the peer answers. */
async function answersOf(slipway: Program): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const path of Object.values(reads)) {
    const { status, json, text } = await slipway.call("GET", path);
    if (status !== 200) throw new Error(`GET ${path}: ${text}`);
    answers[path.split("?")[0] ?? path] = json;
  }
  return answers;
}

type Rates = Record<string, number[]>;

async function measure(urls: readonly [slipway: string, peer: string]): Promise<[slipway: Rates, peer: Rates]> {
  const found: [Rates, Rates] = [{}, {}];
  for (let round = -1; round < rounds; round++) {
    progress(round < 0 ? "requests a second: warming up" : `requests a second: round ${round + 1} of ${rounds}`);
    for (const [name, path] of Object.entries(reads))
      for (const who of rotated([0, 1] as const, round + 1)) {
        const load = {
          url: urls[who],
          path,
          token: adminToken,
          connections,
          seconds: round < 0 ? seconds / 3 : seconds,
        };
        const rate = await requestsPerSecond(load);
        found[who][name] ??= [];
        if (round >= 0) found[who][name].push(rate);
      }
  }
  return found;
}

function print([ours, theirs]: readonly [Rates, Rates]): void {
  const rows = Object.keys(reads).map((name) => {
    const [slipway, peer] = [median(ours[name] ?? []), median(theirs[name] ?? [])];
    return [name, number(slipway), number(peer), percent(slipway / peer), ...judged(undefined)];
  });
  const header = ["GET", "Slipway, a second", "fastify, a second", "Slipway ÷ fastify", "goal", "verdict"];
  const how =
    `\`npm start\` on one machine (${boutique.size} services, embedded table) against a bare fastify route that answers ` +
    `the same body from memory; ${connections} kept connections, ${seconds} s a run, medians of ${rounds} alternating runs.`;
  printTable("Requests a second", how, header, rows);
}
