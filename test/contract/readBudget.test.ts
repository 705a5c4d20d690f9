import { afterAll, beforeAll, expect, test } from "vitest";
import { admitsProjectAdmins, type Permission } from "../../shared/access/identity/rules/permission.ts";
import type { StoreCall } from "../../shared/base/store/storeCalls.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { storeCallsOf, unitsOf } from "../harness/storeCallsOf.ts";
import { declarations, statusOf } from "../security/declarations.ts";
import { bootstrapSecret, type Step, walk } from "../security/walk.ts";

interface Cost {
  name: string;
  bytes: number;
  calls: StoreCall[];
}

let slipway: Slipway;
const costs: Cost[] = [];

beforeAll(async () => {
  slipway = await startSlipway({
    bootstrapSecret,
    settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" },
    podDelayMilliseconds: 0,
  });
  await walk(slipway, async <T>({ name, request, token, headers, text }: Step) => {
    const [method = ""] = name.split(" ");
    if (headers !== undefined)
      return (await slipway.call<T>(method, request.path, { token, headers, body: text ?? request.body })).json;
    const options = { body: text ?? request.body, token: token ?? "" };
    let measured = await storeCallsOf(method, request.path, options);
    // The first view of the own record makes the token, and of the key makes the key: reading is every later one.
    if (/\/(personal|publicKey)$/.test(name)) measured = await storeCallsOf(method, request.path, options);
    expect(measured.status, `${name}: ${measured.body}`).toBe(statusOf(name));
    costs.push({ name, bytes: Buffer.byteLength(measured.body), calls: measured.calls.slice(authenticationOf(name)) });
    return parsed(measured.body) as T;
  });
}, 400_000);

afterAll(() => slipway.close());

/**
 * Calls that tell who asks and may: none; the token and a batch of grants; the token and, at once, an administrator's own
 * partition, that of all users and the installation's roles; the token, the environment whose kind decides the verb, or
 * the workflow whose project it is about, and the grants.
 */
function authenticationOf(name: string): number {
  const route = declarations.find((declaration) => declaration.name === name)?.route;
  const kind: Permission["kind"] = route?.permission.kind ?? "public";
  if (kind === "public") return 0;
  if (route?.scope.projectOf !== undefined) return 3;
  if (route?.permission.kind === "verb" && route.permission.productionVerbs !== undefined) return 3;
  if (route !== undefined && admitsProjectAdmins(route.permission)) return 4;
  return kind === "anyRole" || (kind === "filtered" && route?.scope.project === undefined) ? 4 : 2;
}

/** Calls that are made at once with another one: a page of artifacts is read while they are counted. */
const madeTogether: Readonly<Record<string, number>> = { "GET /api/aslan/delivery/artifacts": 1 };
/** A function that has just begun, or not for five minutes, reads the prices beside what costs something. */
const readsPrices = [
  "GET /openapi/workflows/custom/task",
  "GET /api/aslan/workflow/v4/workflowtask/workflow/{workflowName}/task/{taskId}",
];
/** An image is followed through all that has it (decisions 14.12). */
const maxTrips: Readonly<Record<string, number>> = {
  "GET /openapi/artifacts/trace": 8,
  // Two for the page, and one for each of the two versions on it, with all that they consist of.
  "GET /api/aslan/delivery/releases": 4,
  "GET /api/directory/dc/releases": 4,
};

/** Asks a chart repository, whose login is found by its name, its record and its secret. */
const asksOthers = "GET /api/aslan/delivery/releases/helm/charts/version";

test("reading takes two round trips and 1.5 units up to 4 KB, and one unit for every 4 KB more", () => {
  const isBudgeted = (name: string) =>
    !name.endsWith("/logout") && !isFollowing(name) && !isHandshake(name) && name !== asksOthers;
  const reads = costs.filter(({ name }) => name.startsWith("GET ") && isBudgeted(name));
  const wrong = reads.filter(({ name, calls, bytes }) => {
    const prices = readsPrices.includes(name) ? 1 : 0;
    const more = Math.floor(bytes / 4096) + prices;
    return calls.length - prices - (madeTogether[name] ?? 0) > (maxTrips[name] ?? 2) || unitsOf(calls) > 1.5 + more;
  });
  console.log(tableOf("read", reads));
  expect(wrong.map(({ name, calls, bytes }) => ({ name, bytes, calls }))).toEqual([]);
});

test("what writing takes is known", () => {
  const reading = new Set(declarations.filter(({ route }) => route.reads).map(({ name }) => name));
  const writes = costs.filter(({ name }) => !name.startsWith("GET ") && !reading.has(name));
  console.log(tableOf("written", writes));
  for (const { name, calls } of writes) expect(unitsOf(calls), name).toBeGreaterThan(0);
});

/** A stream of events looks again for as long as it is open. */
function isFollowing(name: string): boolean {
  return declarations.find((declaration) => declaration.name === name)?.route.responseType === "events";
}

/** A chat service checks an address once, with what an app has of secrets. */
function isHandshake(name: string): boolean {
  return /\/system\/workwx\/\{id\}\/webhook$/.test(name);
}

function tableOf(what: string, rows: readonly Cost[]): string {
  const lines = rows.map(
    ({ name, calls }) =>
      `  ${name.padEnd(64)} ${String(calls.length).padStart(3)} ${unitsOf(calls).toFixed(1).padStart(7)}`,
  );
  return [`Round trips and units ${what}, authentication apart`, ...new Set(lines)].join("\n");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
