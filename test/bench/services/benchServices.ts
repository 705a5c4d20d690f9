import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Detail, detailOf, localClusterId, untilStatus } from "../../harness/boutique.ts";
import { type Program, startProgram } from "../../harness/program.ts";
import { adminToken } from "../../harness/slipway.ts";
import { waitFor } from "../../harness/waitFor.ts";
import { ask } from "../ask.ts";
import { median, number, percent, sum, timed, times } from "../figures.ts";
import { atMost, judged, printTable, progress } from "../report.ts";
import { quick } from "../settings.ts";
import type { Usage } from "./probe.ts";

const count = quick ? 5 : 100;
const looks = quick ? 2 : 15;
const idleSeconds = quick ? 1 : 40;
const shownFunctions = 15;
const project = "services";
const environments = "/openapi/environments";
const names = Array.from({ length: count }, (_, at) => `service-${at}`);

interface Phase {
  name: string;
  seconds: number;
  usage: Usage;
  /** Seconds that it should take at most on an otherwise idle machine; absent where no time is asked. */
  goal?: number;
}

/**
 * What an environment of many small services costs: its creation, a new revision of all, what stays in memory, and how
 * long others wait meanwhile. On the cluster of KUBECONFIG, and on the sandbox without one.
 */
export async function benchServices(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  const addressFile = join(folder, "probe");
  const program = await startProgram({
    ...{ SLIPWAY_DATA_DIR: join(folder, "data"), SLIPWAY_ADMIN_TOKEN: adminToken },
    ...{ SLIPWAY_BENCH_PROBE: addressFile, NODE_OPTIONS: `--import ${new URL("./probe.ts", import.meta.url).href}` },
    ...(process.env.KUBECONFIG !== undefined && { KUBECONFIG: process.env.KUBECONFIG }),
  });
  try {
    await measure(program, readFileSync(addressFile, "utf8"));
  } finally {
    await program.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(program: Program, probe: string): Promise<void> {
  const usage = async (path = ""): Promise<Usage> => (await fetch(probe + path)).json() as Promise<Usage>;
  const { residentMegabytes: atStart } = await usage();
  await ask(program, "POST", "/openapi/projects/project", {
    ...{ project_name: project, project_key: project, project_type: "yaml", is_public: false },
  });
  for (const name of ["others", ...names]) await define(program, "POST", name, "v1");
  await createEnvironment(program, "others", ["others"]);
  await untilStatus(program, project, "others", "running", 60);
  const during = async (name: string, work: () => Promise<void>, goal?: number): Promise<Phase> => {
    progress(name);
    await usage(goal === undefined ? "" : "/profiling");
    const { milliseconds } = await timed(work);
    return { name, seconds: milliseconds / 1000, usage: await usage(), ...(goal !== undefined && { goal }) };
  };
  const quiet = await latencies(program, async (round) => round < looks);
  const creation = await during("creation", () => createMany(program), 10);
  await defineAll(program, "v2");
  const rollout = await during("a new revision of all", () => rollOut(program, "v2"), 8);
  await defineAll(program, "v3");
  let busy: Latencies | undefined;
  const shared = await during("a new revision of all, others working", async () => {
    let over = false;
    const done = rollOut(program, "v3").finally(() => {
      over = true;
    });
    busy = await latencies(program, async () => !over);
    await done;
  });
  const idle = await during(`${idleSeconds} s without work`, () => sleep(idleSeconds * 1000));
  for (const envKey of ["many", "others"]) await remove(program, envKey);
  show(atStart, [creation, rollout, shared, idle]);
  if (busy !== undefined) showLatencies(quiet, busy);
}

interface Latencies {
  detail: number[];
  image: number[];
}

/** How long callers of another environment wait for its detail and for the update of an image, in milliseconds. */
async function latencies(program: Program, goOn: (round: number) => Promise<boolean>): Promise<Latencies> {
  const found: Latencies = { detail: [], image: [] };
  for (let round = 0; await goOn(round); round++) {
    const detail = () => ask(program, "GET", `${environments}/others?projectKey=${project}`);
    found.detail.push((await timed(detail)).milliseconds);
    const image = `reg.io/others:${randomBytes(4).toString("hex")}`;
    const update = () =>
      ask(program, "POST", `${environments}/image/deployment/others?projectKey=${project}`, {
        ...{ product_name: project, service_name: "others", name: "others", container_name: "main", image },
      });
    found.image.push((await timed(update)).milliseconds);
    await sleep(50);
  }
  return found;
}

async function createMany(program: Program): Promise<void> {
  await createEnvironment(program, "many", names);
  await untilRunning(program);
}

/** Asks rarely: the answers about a large environment would be most of the work that is measured. */
async function untilRunning(program: Program, isThere: (detail: Detail) => boolean = () => true): Promise<void> {
  for (const endsAt = Date.now() + 300_000; Date.now() < endsAt; await sleep(1000)) {
    const detail = await detailOf(program, project, "many");
    if (detail.status === "running" && isThere(detail)) return;
  }
  throw new Error("the environment of many services does not run after 300 s");
}

async function remove(program: Program, envKey: string): Promise<void> {
  const path = `${environments}/${envKey}?projectKey=${project}`;
  await ask(program, "DELETE", `${path}&isDelete=true`);
  await waitFor(`${envKey} to be gone`, async () => (await program.call("GET", path)).status === 404, 180);
}

async function createEnvironment(program: Program, env_key: string, services: readonly string[]): Promise<void> {
  const body = {
    ...{ env_key, cluster_id: localClusterId, namespace: `slipway-bench-${randomBytes(4).toString("hex")}` },
    services: services.map((service_name) => ({ service_name })),
  };
  await ask(program, "POST", `${environments}?projectKey=${project}`, body);
}

async function rollOut(program: Program, version: string): Promise<void> {
  const service_list = names.map((service_name) => ({ service_name }));
  await ask(program, "PUT", `${environments}/service/yaml?projectKey=${project}`, { env_key: "many", service_list });
  await untilRunning(program, ({ services }) =>
    services.every(({ containers }) => containers[0]?.image.endsWith(version) === true),
  );
}

async function defineAll(program: Program, version: string): Promise<void> {
  for (const name of names) await define(program, "PUT", name, version);
}

async function define(program: Program, method: "POST" | "PUT", name: string, version: string): Promise<void> {
  const place = method === "POST" ? "raw" : name;
  const body = { service_name: name, type: "k8s", yaml: manifestOf(name, version) };
  await ask(program, method, `/openapi/service/yaml/${place}?projectKey=${project}`, body);
}

function show(atStart: number, phases: readonly Phase[]): void {
  const rows = phases.map(({ name, seconds, usage, goal }) => [
    ...[name, number(seconds, 1), number(usage.processorMilliseconds / 1000, 1)],
    ...[listed(usage.cluster), listed(usage.store), number(usage.residentMegabytes)],
    ...judged(goal === undefined ? undefined : atMost(seconds, goal, (value) => `${value} s`)),
  ]);
  const how =
    `${count} services of a Deployment, a Service and a ConfigMap each; Slipway as \`npm start\` runs it, which took ` +
    `${number(atStart)} MB at its start. Processor time is that of Slipway alone, all its threads together.`;
  const header = ["what", "s", "processor, s", "requests to the cluster", "calls of the table", "resident, MB"];
  printTable("Many services", how, [...header, "goal", ""], rows);
  for (const { name, usage } of phases.slice(0, 2)) {
    const whole = sum(usage.functions.map(({ milliseconds }) => milliseconds));
    const longest = usage.functions.slice(0, shownFunctions);
    const rows = longest.map(({ where, milliseconds }) => [where, number(milliseconds), percent(milliseconds / whole)]);
    printTable(`Many services: ${name} by function`, `Main thread, ${number(whole)} ms.`, ["function", "ms", ""], rows);
  }
}

function showLatencies(quiet: Latencies, busy: Latencies): void {
  const row = (what: string, before: number[], during: number[]): string[] => {
    const [idle, loaded] = [median(before), median(during)];
    const goal = judged(atMost(loaded / idle, 2, times));
    return [what, number(idle), number(loaded), String(during.length), times(loaded / idle), ...goal];
  };
  const rows = [row("detail", quiet.detail, busy.detail), row("image update", quiet.image, busy.image)];
  const how = "Medians, in another environment: without other work, and while a new revision of all is rolled out.";
  const header = ["call", "idle, ms", "under load, ms", "calls under load", "ratio", "goal", ""];
  printTable("Many services: who works beside", how, header, rows);
}

function listed(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).map(([name, times]) => `${name} ${times}`);
  return entries.length === 0 ? "none" : entries.join(", ");
}

function manifestOf(name: string, version: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - name: main
          image: reg.io/${name}:${version}
          envFrom: [{ configMapRef: { name: ${name} } }]
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: ${name} }
data: { VERSION: ${version} }
`;
}
