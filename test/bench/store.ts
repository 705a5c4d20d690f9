import { authenticateToken } from "../../shared/access/identity/session/authenticateToken.ts";
import { readCaller } from "../../shared/access/identity/session/readCaller.ts";
import { recordStoreCalls } from "../../shared/base/store/storeCalls.ts";
import { boutique, createBoutique, environmentBody, untilStatus } from "../harness/boutique.ts";
import { adminToken, type Slipway, startSlipway } from "../harness/slipway.ts";
import { storeCallsOf, unitsOf } from "../harness/storeCallsOf.ts";
import { median, number, percent, timed } from "./figures.ts";
import { judged, printTable } from "./report.ts";
import { quick } from "./settings.ts";

const project = "shop";
const of = `projectKey=${project}`;

/** What is read, its address, and whether the caller's grants everywhere are looked at. */
const reads: readonly (readonly [name: string, path: string, everywhere?: "everywhere"])[] = [
  ["projects, a page", "/openapi/projects/project", "everywhere"],
  ["project", `/openapi/projects/project/detail?${of}`],
  ["global variables of a project", `/openapi/projects/project/globalVariable?${of}`],
  ["services", `/openapi/service/yaml/services?${of}`],
  ["service", `/openapi/service/yaml/frontend?${of}`],
  ["labels of a service", `/openapi/service/yaml/frontend/labels?${of}`],
  ["environments", `/openapi/environments?${of}`],
  ["environment of twelve services", `/openapi/environments/dev?${of}`],
  ["service in an environment", `/openapi/environments/dev/services/frontend?${of}`],
  ["its manifest", `/openapi/environments/services/yaml?${of}&envName=dev&serviceName=frontend`],
  ["clusters", "/openapi/system/cluster", "everywhere"],
  ["registries", "/openapi/system/registry", "everywhere"],
  ["operation log, a page", "/openapi/system/operation?searchType=all&page=1&perPage=20"],
  ["operation log of an environment", `/openapi/system/operation/env?searchType=all&${of}&envName=dev`],
];

const creations: readonly (readonly [name: string, path: string, body: object])[] = [
  [
    "project",
    "/openapi/projects/project",
    { project_key: "second", project_name: "second", project_type: "yaml", is_public: false },
  ],
  ["service", `/openapi/service/yaml/raw?${of}`, { service_name: "again", yaml: boutique.get("redis-cart") ?? "" }],
  ["empty environment", `/openapi/environments?${of}`, { ...environmentBody("empty", "bench-empty"), services: [] }],
  ["environment of twelve services", `/openapi/environments?${of}`, environmentBody("full", "bench-full")],
  [
    "registry",
    "/openapi/system/registry",
    { address: "http://127.0.0.1:1", provider: "native", namespace: "n", access_key: "a", secret_key: "s" },
  ],
  ["user", "/api/v1/users", { name: "Ada", account: "ada", password: "Passw0rd-1" }],
];

const maxTrips = 2;
const bytesAUnit = 4096;
const samples = quick ? 3 : 31;

/** Read units that an answer of this size may cost (decisions 4.1). */
function maxUnits(bytes: number): number {
  return 1.5 + Math.max(0, Math.ceil(bytes / bytesAUnit) - 1);
}

export async function benchStore(): Promise<void> {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  try {
    await createBoutique(slipway, project);
    await createEnvironment(slipway);
    await printReads();
    await printCreations();
    await untilStatus(slipway, project, "full", "running");
  } finally {
    await slipway.close();
  }
}

async function createEnvironment(slipway: Slipway): Promise<void> {
  const body = environmentBody("dev", "bench-dev");
  const answer = await slipway.call("POST", `/openapi/environments?${of}`, { body });
  if (answer.status !== 200) throw new Error(answer.text);
  await untilStatus(slipway, project, "dev", "running");
}

/** Finding out who calls and what the caller holds; it comes first in every request. */
async function authentication(everywhere: boolean): Promise<{ trips: number; units: number }> {
  const where = everywhere ? "everywhere" : { projectKey: project, withModes: true };
  const { calls } = await recordStoreCalls(async () => readCaller(await authenticateToken(adminToken), where));
  return { trips: calls.length, units: unitsOf(calls) };
}

async function printReads(): Promise<void> {
  const rows: string[][] = [];
  for (const [name, path, everywhere] of reads) {
    // The first read of some connects to the cluster or leaves a note.
    await storeCallsOf("GET", path);
    const { status, body, calls } = await storeCallsOf("GET", path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${body}`);
    const before = await authentication(everywhere !== undefined);
    const own = calls.slice(before.trips);
    const bytes = Buffer.byteLength(body);
    const limit = maxUnits(bytes);
    const units = unitsOf(own);
    rows.push([
      name,
      number(bytes),
      `${before.trips} / ${before.units}`,
      percent(
        await shareOf(
          () => authentication(everywhere !== undefined),
          () => storeCallsOf("GET", path),
        ),
      ),
      String(own.length),
      String(units),
      ...judged({ text: `≤ ${maxTrips} / ${limit}`, met: own.length <= maxTrips && units <= limit }),
    ]);
  }
  const header = [
    "GET",
    "bytes answered",
    "who calls: trips / units",
    "of the time",
    "trips",
    "units",
    "goal: trips / units",
    "verdict",
  ];
  const how =
    "Round trips to the table and read units of one request; who calls and what they hold counts apart, its share of the " +
    `time from medians of ${samples} alternating runs without HTTP.`;
  printTable("Store calls of a GET", how, header, rows);
}

/** How much of the time of a whole a part of it takes. */
async function shareOf(part: () => Promise<unknown>, whole: () => Promise<unknown>): Promise<number> {
  const taken = { part: [] as number[], whole: [] as number[] };
  for (let sample = 0; sample < samples; sample++) {
    taken.part.push((await timed(part)).milliseconds);
    taken.whole.push((await timed(whole)).milliseconds);
  }
  return median(taken.part) / median(taken.whole);
}

async function printCreations(): Promise<void> {
  const rows: string[][] = [];
  for (const [name, path, body] of creations) {
    const { status, body: answer, calls, units } = await storeCallsOf("POST", path, { body });
    if (status !== 200) throw new Error(`POST ${path}: ${status} ${answer}`);
    const kinds = Map.groupBy(calls, ({ kind }) => kind);
    const listed = [...kinds].map(([kind, of]) => `${kind} ${of.length}`).join(", ");
    rows.push([name, listed, String(calls.length), String(units), ...judged(undefined)]);
  }
  const header = ["POST", "round trips", "together", "units, read and written", "goal", "verdict"];
  const how = "The whole request until its answer, who calls and the operation log included.";
  printTable("Store calls of a creation", how, header, rows);
}
