import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { handler as reconcile } from "../../functions/triggers/reconciler/handler.ts";
import { currentEngine } from "../../infra/local/table/startTable.ts";
import { pendingBefore } from "../../shared/audit/store/pending.ts";
import { verifyOperations } from "../../shared/audit/verifyOperations.ts";
import type { TableEngine } from "../../shared/store/engine.ts";
import { nowSeconds } from "../../shared/store/ids.ts";
import { Table } from "../../shared/store/table.ts";
import { provideTable } from "../../shared/store/theTable.ts";
import { localClusterId } from "../harness/boutique.ts";
import { killedEngine } from "../harness/killedEngine.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { gate } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

/** One request, in a project or about a person of its own. */
interface Operation {
  name: string;
  /** What it needs; `key` names what it is about, and is another one in each run. */
  prepare?(key: string): Promise<unknown>;
  request(key: string): [method: string, path: string, body?: object];
  /** What it comes to: answers to these paths. */
  leads(key: string): string[];
}

const projects = "/openapi/projects/project";
const services = "/openapi/service/yaml";
const environments = "/openapi/environments";
const workflows = "/openapi/workflows/custom";
const plans = "/openapi/release_plan/v1";
const roles = "/openapi/policy/roles";
const users = "/api/v1/users";
const releases = "/openapi/delivery/releases";
/** What a claim of an `Idempotency-Key` outlives its request by (decisions 18.4). */
const claimMilliseconds = 46_000;
/** Of ids that are drawn by lot, by the key of the run. */
const ids = new Map<string, string>();
const idOf = (key: string) => ids.get(key) ?? "";

const inProject = (key: string) => `projectKey=${key}`;
const project = (key: string) => ({ project_name: key, project_key: key, project_type: "yaml" });
const yaml = (text: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {text: "${text}"}\n`;
const service = { service_name: "web", yaml: yaml("first") };
const environment = (key: string) => ({
  ...{ env_key: "dev", namespace: `${key}-dev`, cluster_id: localClusterId },
  ...{ registry_id: "0123456789abcdef12345679", services: [{ service_name: "web", type: "k8s" }] },
});
const workflow = (key: string) => ({
  ...{ name: `ship-${key}`, project: key, display_name: "Ship" },
  stages: [{ name: "one", jobs: [gate("a")] }],
});
const plan = (key: string) => ({ name: key, manager: "admin", manager_identity_type: "system", jobs: [] });
const person = (key: string) => ({ account: key, name: key, password: "Passw0rd-1", email: "", phone: "" });
const role = (key: string) => ({ name: "look", namespace: key, actions: ["get_workflow"] });
const version = (key: string) => ({
  ...{ project_key: key, version_name: "1.0.0", source: "from_env", env_name: "dev" },
  services: [{ service_name: "web", images: [] }],
});

const hasProject = (key: string) => does("POST", projects, project(key));
const hasService = async (key: string) => {
  await hasProject(key);
  await does("POST", `${services}/raw?${inProject(key)}`, service);
};
const hasEnvironment = async (key: string) => {
  await hasService(key);
  await does("POST", `${environments}?${inProject(key)}`, environment(key));
  await settled(key);
};
const hasWorkflow = async (key: string) => {
  await hasProject(key);
  await does("POST", workflows, workflow(key));
};
const hasPlan = async (key: string) => void ids.set(key, (await does<{ id: string }>("POST", plans, plan(key))).id);
const hasUser = async (key: string) => void ids.set(key, (await does<{ uid: string }>("POST", users, person(key))).uid);
const hasRole = async (key: string) => {
  await hasProject(key);
  await does("POST", `${roles}?namespace=${key}`, role(key));
};
const settled = (key: string) =>
  waitFor(`the environment of ${key} to be settled`, async () => {
    const answer = await slipway.call<{ stored_status: string }>("GET", `${environments}/dev?${inProject(key)}`);
    return answer.status === 404 || answer.json.stored_status === "success";
  });

const operations: readonly Operation[] = [
  {
    name: "create a project",
    request: (key) => ["POST", projects, project(key)],
    leads: (key) => [`${projects}/detail?${inProject(key)}`],
  },
  {
    name: "delete a project",
    prepare: hasService,
    request: (key) => ["DELETE", `${projects}?${inProject(key)}&isDelete=false`],
    leads: (key) => [`${projects}/detail?${inProject(key)}`, `${services}/web?${inProject(key)}`],
  },
  {
    name: "create a service",
    prepare: hasProject,
    request: (key) => ["POST", `${services}/raw?${inProject(key)}`, service],
    leads: (key) => [`${services}/services?${inProject(key)}`, `${services}/web?${inProject(key)}`],
  },
  {
    name: "change a service",
    prepare: hasService,
    request: (key) => ["PUT", `${services}/web?${inProject(key)}`, { type: "k8s", yaml: yaml("second") }],
    leads: (key) => [`${services}/services?${inProject(key)}`, `${services}/web?${inProject(key)}`],
  },
  {
    name: "delete a service",
    prepare: hasService,
    request: (key) => ["DELETE", `${services}/web?${inProject(key)}`],
    leads: (key) => [`${services}/services?${inProject(key)}`, `${services}/web?${inProject(key)}`],
  },
  {
    name: "create an environment",
    prepare: hasService,
    request: (key) => ["POST", `${environments}?${inProject(key)}`, environment(key)],
    leads: (key) => [`${environments}/dev?${inProject(key)}`],
  },
  {
    name: "deploy a service",
    prepare: async (key) => {
      await hasEnvironment(key);
      await does("PUT", `${services}/web?${inProject(key)}`, { type: "k8s", yaml: yaml("second") });
    },
    request: (key) => [
      ...(["PUT", `${environments}/service/yaml?${inProject(key)}`] as const),
      { env_key: "dev", service_list: [{ service_name: "web" }] },
    ],
    leads: (key) => [`${environments}/dev?${inProject(key)}`],
  },
  {
    name: "delete an environment",
    prepare: hasEnvironment,
    request: (key) => ["DELETE", `${environments}/dev?${inProject(key)}&isDelete=true`],
    leads: (key) => [`${environments}?${inProject(key)}`],
  },
  {
    name: "create a workflow",
    prepare: hasProject,
    request: (key) => ["POST", workflows, workflow(key)],
    leads: (key) => [`${workflows}/ship-${key}/detail?${inProject(key)}`],
  },
  {
    name: "change a workflow",
    prepare: hasWorkflow,
    request: (key) => [
      ...(["PUT", `${workflows}/ship-${key}?${inProject(key)}`] as const),
      { ...workflow(key), display_name: "Shipped" },
    ],
    leads: (key) => [`${workflows}/ship-${key}/detail?${inProject(key)}`],
  },
  {
    name: "delete a workflow",
    prepare: hasWorkflow,
    request: (key) => ["DELETE", `${workflows}?${inProject(key)}&workflowKey=ship-${key}`],
    leads: (key) => [`${workflows}/ship-${key}/detail?${inProject(key)}`],
  },
  {
    name: "create a plan",
    request: (key) => ["POST", plans, plan(key)],
    leads: () => [],
  },
  {
    name: "change a plan",
    prepare: hasPlan,
    request: (key) => ["PATCH", `${plans}/${idOf(key)}`, { ...plan(key), name: `${key} changed` }],
    leads: (key) => [`${plans}/${idOf(key)}`],
  },
  {
    name: "delete a plan",
    prepare: hasPlan,
    request: (key) => ["DELETE", `${plans}/${idOf(key)}`],
    leads: (key) => [`${plans}/${idOf(key)}`],
  },
  {
    name: "create a version",
    prepare: hasEnvironment,
    request: (key) => ["POST", `${releases}/k8s`, version(key)],
    leads: (key) => [`${releases}?${inProject(key)}`],
  },
  {
    name: "create a user",
    request: (key) => ["POST", users, person(key)],
    leads: (key) => [`/openapi/users?account=${key}`],
  },
  {
    name: "change a user",
    prepare: hasUser,
    request: (key) => ["PUT", `${users}/${idOf(key)}`, { ...person(key), name: "Changed" }],
    leads: (key) => [`${users}/${idOf(key)}`],
  },
  {
    name: "delete a user",
    prepare: hasUser,
    request: (key) => ["DELETE", `${users}/${idOf(key)}`],
    leads: (key) => [`${users}/${idOf(key)}`],
  },
  {
    name: "create a role",
    prepare: hasProject,
    request: (key) => ["POST", `${roles}?namespace=${key}`, role(key)],
    leads: (key) => [`${roles}/look?namespace=${key}`],
  },
  {
    name: "change a role",
    prepare: hasRole,
    request: (key) => ["PUT", `${roles}/look?namespace=${key}`, { actions: ["get_workflow", "get_environment"] }],
    leads: (key) => [`${roles}/look?namespace=${key}`],
  },
  {
    name: "delete a role",
    prepare: hasRole,
    request: (key) => ["DELETE", `${roles}/look?namespace=${key}`],
    leads: (key) => [`${roles}?namespace=${key}`],
  },
];

let slipway: Slipway;
let engine: TableEngine;
let runs = 0;

async function does<T = Record<string, never>>(method: string, path: string, body?: object): Promise<T> {
  const answer = await slipway.call<T>(method, path, body && { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.json;
}

/** What can be read of it, without what differs from run to run. */
async function outcome({ leads }: Operation, key: string): Promise<string[]> {
  await settled(key);
  const answers = await Promise.all(leads(key).map((path) => slipway.call("GET", path)));
  return answers.map(({ status, text }) =>
    `${status} ${text}`
      .replaceAll(key, "<key>")
      // A plan counts its changes, the same one twice, too.
      .replaceAll(/"(id|index|version)":\d+/g, '"$1":<own>')
      .replaceAll(
        /\b[0-9a-f]{24}\b|\b[0-9a-f]{16}\b|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b1[6-9]\d{8}\b|\b[0-9a-f]{64}\b/g,
        "<own>",
      ),
  );
}

/** How many records there are of the first and of the second try: a process that is gone answers no request id. */
async function recordsOf(key: string): Promise<number[]> {
  const { text } = await slipway.call("GET", "/openapi/system/operation/export");
  const lines = text.split("\n").filter((line) => line !== "");
  const recorded = Map.groupBy(lines, (line) => (JSON.parse(line) as { agent: string }).agent);
  return ["first", "again"].map((time) => recorded.get(`${key} ${time}`)?.length ?? 0);
}

/**
 * Each of these operations is killed after some of its writes and asked for again with the same `Idempotency-Key`: it is done
 * once, and recorded once for each try that began.
 * @param isKilled which writes (from 1) of which operation (from 0)
 */
export function killSuite(isKilled: (write: number, operation: number) => boolean): void {
  beforeAll(async () => {
    slipway = await startSlipway({ podDelayMilliseconds: 0 });
    const found = currentEngine();
    if (found === undefined) throw new Error("the table is in no file");
    engine = found;
  });

  afterEach(() => {
    vi.useRealTimers();
    provideTable(new Table(engine));
  });
  afterAll(() => slipway.close());

  test.each(operations.map((operation, at) => ({ ...operation, at })))("$name", async ({ at, ...operation }) => {
    const once = async (kill: number) => {
      runs += 1;
      const key = `run-${runs}x`;
      await operation.prepare?.(key);
      const [method, path, body] = operation.request(key);
      const idempotencyKey = randomUUID();
      const send = (time: string) => {
        const headers = { "idempotency-key": idempotencyKey, "user-agent": `${key} ${time}` };
        return slipway.call(method, path, { headers, ...(body && { body }) });
      };
      const killed = killedEngine(engine, kill);
      provideTable(new Table(killed));
      const first = await send("first");
      provideTable(new Table(engine));
      if (!killed.isDead()) return { first, again: undefined, key, writes: killed.writes() };
      const now = Date.now();
      vi.useFakeTimers({ toFake: ["Date"], now: now + claimMilliseconds });
      const again = await send("again");
      vi.useRealTimers();
      return { first, again, key, writes: killed.writes() };
    };
    const undisturbed = await once(Number.POSITIVE_INFINITY);
    expect(undisturbed.first.status, undisturbed.first.text).toBe(200);
    const wanted = await outcome(operation, undisturbed.key);
    const told: string[] = [];
    for (let kill = 1; kill <= undisturbed.writes; kill++) {
      if (!isKilled(kill, at)) continue;
      const { first, again, key } = await once(kill);
      // Where the order of writes differs there may be one less.
      if (again === undefined) continue;
      const where = `${operation.name}, killed after write ${kill}: ${first.text}, then ${again.status} ${again.text}`;
      told.push(`${again.status}${again.headers.has("idempotent-replayed") ? " replayed" : ""}`);
      // Work that was done before the kill may be found to be done.
      expect([200, 400, 404], where).toContain(again.status);
      await reconcile({ requestsEndedBefore: nowSeconds() + 1 });
      expect(await outcome(operation, key), where).toEqual(wanted);
      // The first write claims the key, before the second one notes what is about to be done. The last one keeps the answer.
      const isReplayed = again.headers.get("idempotent-replayed") === "true";
      expect(await recordsOf(key), where).toEqual([kill === 1 ? 0 : 1, isReplayed ? 0 : 1]);
    }
    console.log(`${operation.name}: ${undisturbed.writes} writes; the second try is answered ${told.join(", ")}`);
    expect(told.length, operation.name).toBeGreaterThan(0);
    expect(await pendingBefore(nowSeconds() + 1, 100)).toEqual([]);
    expect(await verifyOperations()).toMatchObject({ findings: [], problems: [] });
  });
}
