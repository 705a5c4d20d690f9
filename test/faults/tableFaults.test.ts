import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { handler as reconcile } from "../../functions/triggers/reconciler/handler.ts";
import { currentEngine } from "../../infra/local/table/startTable.ts";
import { pendingBefore } from "../../shared/access/audit/store/pending.ts";
import { verifyOperations } from "../../shared/access/audit/verifyOperations.ts";
import type { TableEngine } from "../../shared/base/store/engine.ts";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import { provideTable } from "../../shared/base/store/table.ts";
import { TableClient } from "../../shared/base/store/tableClient.ts";
import { localClusterId } from "../harness/boutique.ts";
import { faultyEngine, seeded } from "../harness/faultyEngine.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { gate } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

/** What a table meets in AWS: throttling, and transactions that meet. */
const faults = [
  { name: "throttled in 5 calls of 100", fault: "busy", rate: 0.05 },
  { name: "throttled in 20 calls of 100", fault: "busy", rate: 0.2 },
  { name: "disturbed in 20 transactions of 100", fault: "contended", rate: 0.2 },
] as const;

let slipway: Slipway;
let engine: TableEngine;

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
  const found = currentEngine();
  if (found === undefined) throw new Error("the table is in no file");
  engine = found;
});

afterEach(() => provideTable(new TableClient(engine)));
afterAll(() => slipway.close());

const configMap = (text: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {text: "${text}"}\n`;

describe.each(faults)("a table that is $name", ({ fault, rate }) => {
  const project = `p${rate * 100}-${fault}`;
  const accepted: string[] = [];

  /** As a careful client calls: again, with the same key, when it is told to come again. */
  async function does<T = Record<string, never>>(method: string, path: string, body?: object): Promise<T> {
    const headers = { "idempotency-key": randomUUID() };
    for (let tries = 1; ; tries++) {
      const answer = await slipway.call<T>(method, path, { headers, ...(body && { body }) });
      const said = `${method} ${path}: ${answer.status} ${answer.text}`;
      if (answer.status === 200) {
        if (method !== "GET") accepted.push(answer.headers.get("x-request-id") ?? "");
        return answer.json;
      }
      expect(answer.headers.get("retry-after"), said).not.toBeNull();
      expect(tries, said).toBeLessThan(5);
    }
  }

  const until = (path: string, ...statuses: string[]) =>
    waitFor(`${path} to be ${statuses}`, async () =>
      statuses.includes((await does<{ status: string }>("GET", path)).status),
    );

  test("does everything once, and records each accepted call once", async () => {
    const random = seeded(36);
    let met = 0;
    const strikes = () => {
      if (random() >= rate) return undefined;
      met += 1;
      return fault;
    };
    provideTable(new TableClient(faultyEngine(engine, { strikes })));

    await does("POST", "/openapi/projects/project", {
      project_name: project,
      project_key: project,
      project_type: "yaml",
    });
    const inProject = `projectKey=${project}`;
    const service = { service_name: "web", yaml: configMap("first") };
    await does("POST", `/openapi/service/yaml/raw?${inProject}`, service);
    await does("PUT", `/openapi/service/yaml/web?${inProject}`, { type: "k8s", yaml: configMap("second") });
    const service_list = [{ service_name: "web" }];
    await does("POST", `/openapi/environments?${inProject}`, {
      ...{ env_key: "dev", namespace: `${project}-dev`, cluster_id: localClusterId },
      ...{ registry_id: "0123456789abcdef12345679", services: [{ service_name: "web", type: "k8s" }] },
    });
    await until(`/openapi/environments/dev?${inProject}`, "running", "succeeded", "success");
    await does("PUT", `/openapi/service/yaml/web?${inProject}`, { type: "k8s", yaml: configMap("third") });
    await does("PUT", `/openapi/environments/service/yaml?${inProject}`, { env_key: "dev", service_list });
    await until(`/openapi/environments/dev?${inProject}`, "running", "succeeded", "success");
    await does("PUT", `/openapi/environments/dev?${inProject}`, { alias: "Dev" });

    const workflow = { name: `ship-${project}`, project, display_name: "Ship" };
    const stages = [{ name: "one", jobs: [gate("a"), gate("b")] }];
    await does("POST", "/openapi/workflows/custom", { ...workflow, stages });
    const key = `workflowKey=${workflow.name}`;
    await does("PUT", `/openapi/workflows/custom/${workflow.name}?${inProject}`, {
      ...workflow,
      display_name: "Shipped",
      stages,
    });
    const inputs = ["a", "b"].map((job_name) => ({ job_name, job_type: "approval", parameters: {} }));
    const started = { workflow_key: workflow.name, project_key: project, inputs };
    const { task_id } = await does<{ task_id: number }>("POST", "/openapi/workflows/custom/task", started);
    expect(task_id).toBe(1);
    await until(`/openapi/workflows/custom/task?${key}&taskId=1`, "passed");

    const plan = { name: project, manager: "admin", manager_identity_type: "system", jobs: [] };
    const { id } = await does<{ id: string }>("POST", "/openapi/release_plan/v1", plan);
    await does("PATCH", `/openapi/release_plan/v1/${id}`, { ...plan, name: `${project} changed` });
    await does("DELETE", `/openapi/release_plan/v1/${id}`);

    const roles = `/openapi/policy/roles`;
    await does("POST", `${roles}?namespace=${project}`, {
      name: "look",
      namespace: project,
      actions: ["get_workflow"],
    });
    await does("PUT", `${roles}/look?namespace=${project}`, { actions: ["get_workflow", "get_environment"] });
    await does("DELETE", `${roles}/look?namespace=${project}`);

    const person = { account: project, name: project, password: "Passw0rd-1", email: "", phone: "" };
    const { uid } = await does<{ uid: string }>("POST", "/api/v1/users", person);
    await does("PUT", `/api/v1/users/${uid}`, { ...person, name: "Changed" });
    await does("DELETE", `/api/v1/users/${uid}`);

    const version = { project_key: project, version_name: "1.0.0", source: "from_env", env_name: "dev" };
    await does("POST", "/openapi/delivery/releases/k8s", {
      ...version,
      services: [{ service_name: "web", images: [] }],
    });

    await does("DELETE", `/openapi/workflows/custom?${inProject}&${key}`);
    await does("DELETE", `/openapi/environments/dev?${inProject}&isDelete=true`);
    await waitFor("the environment to be gone", async () => {
      const { status } = await slipway.call("GET", `/openapi/environments/dev?${inProject}`);
      return status === 404;
    });
    await does("DELETE", `/openapi/service/yaml/web?${inProject}`);
    await does("DELETE", `/openapi/projects/project?${inProject}&isDelete=false`);
    expect(met).toBeGreaterThan(20);

    provideTable(new TableClient(engine));
    await reconcile({ requestsEndedBefore: nowSeconds() + 1 });
    expect(await pendingBefore(nowSeconds() + 1, 100)).toEqual([]);
    expect(await verifyOperations()).toMatchObject({ findings: [], problems: [] });
    const { text } = await slipway.call("GET", "/openapi/system/operation/export");
    const recorded = Map.groupBy(
      text.split("\n").filter((line) => line !== ""),
      (line) => (JSON.parse(line) as { request_id: string }).request_id,
    );
    expect(accepted.filter((requestId) => recorded.get(requestId)?.length !== 1)).toEqual([]);
  });
});
