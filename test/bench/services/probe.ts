import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { type ClientRequest, createServer } from "node:http";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import { isMainThread } from "node:worker_threads";
import { verbOf } from "../../harness/clusterRequests.ts";
import { type FunctionTime, selfTimes } from "./selfTimes.ts";

/** What a program used between two looks at it. */
export interface Usage {
  /** Of all its threads. */
  processorMilliseconds: number;
  /** Requests to a cluster, by verb. Those of the thread that watches clusters are not among them. */
  cluster: Record<string, number>;
  /** Calls of the table, by operation. */
  store: Record<string, number>;
  /** Times of the main thread in functions, the longest first; none where the time was not profiled. */
  functions: FunctionTime[];
  residentMegabytes: number;
}

/** The folder of a settings variable gets a file with the address where the program tells what it used. */
const file = process.env.SLIPWAY_BENCH_PROBE;

if (file !== undefined && isMainThread) await tellUsage(file);

/** Loaded into a program before its own modules; a GET answers its usage since the one before, one of `/profiling` begins a profile. */
async function tellUsage(addressFile: string): Promise<void> {
  let cluster: Record<string, number> = {};
  let store: Record<string, number> = {};
  let processor = process.cpuUsage();
  subscribe("http2.client.stream.start", (message) => {
    const { headers } = message as { headers: Record<string, string | undefined> };
    count(cluster, verbOf(headers[":method"] ?? "", headers[":path"] ?? ""));
  });
  subscribe("http.client.request.start", (message) => {
    const { request } = message as { request: ClientRequest };
    const operation = /^DynamoDB_\d+\.(\w+)$/.exec(String(request.getHeader("x-amz-target") ?? ""))?.[1];
    if (operation !== undefined) count(store, operation);
    else if (/^\/apis?\//.test(request.path)) count(cluster, verbOf(request.method, request.path));
  });
  const session = new Session();
  session.connect();
  let profiling = false;
  const server = createServer(async (request, response) => {
    const functions = profiling ? selfTimes((await session.post("Profiler.stop")).profile) : [];
    if (profiling) await session.post("Profiler.disable");
    const { user, system } = process.cpuUsage(processor);
    const usage: Usage = {
      processorMilliseconds: (user + system) / 1000,
      ...{ cluster, store },
      functions,
      residentMegabytes: process.memoryUsage.rss() / 2 ** 20,
    };
    [cluster, store, processor] = [{}, {}, process.cpuUsage()];
    profiling = request.url === "/profiling";
    if (profiling) {
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
    }
    response.end(JSON.stringify(usage));
  });
  server.listen(0, "127.0.0.1", () => {
    writeFileSync(addressFile, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  server.unref();
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
