import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { localClusterId } from "./boutique.ts";
import { type DefinitionCalls, definitionCallsOf } from "./definitionCalls.ts";
import type { Standing } from "./environmentSuite.ts";
import { deploymentYaml } from "./manifests.ts";
import { newPerson, type Person } from "./people.ts";
import { approvalBy, planBody, type ShownPlan, textJob } from "./releasePlans.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { tasksOf } from "./tasks.ts";
import { waitFor } from "./waitFor.ts";

const plans = "/openapi/release_plan/v1";
const freezes = `${plans}/freezes`;
const environments = "/openapi/environments/production";

interface Refused {
  code: number;
  description: string;
  extra: { freeze?: { name: string; reason: string; end_time: number } };
}

/** A task of a plan: of which workflow, and under which number. */
interface Shipped {
  workflow: string;
  taskId: number;
}

/** Release plans from their draft to their end, with deployments to a production environment: the same on every cluster. */
export function releasePlanSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  let calls: DefinitionCalls;
  let tasks: ReturnType<typeof tasksOf>;
  let lee: Person;
  let approvers: Person[];
  const namespace = `slipway-test-plans-${randomBytes(3).toString("hex")}`;

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    calls = definitionCallsOf(slipway);
    tasks = tasksOf(slipway, "shop");
    const { ok } = calls;
    await ok("POST", "/openapi/projects/project", { project_key: "shop", project_name: "shop", project_type: "yaml" });
    lee = await newPerson("lee", [{ namespace: "shop", roles: { passes: ["override_freeze"] } }]);
    approvers = await Promise.all(["kim", "ann", "ben"].map((account) => newPerson(account)));
    const yaml = deploymentYaml("web", "example.com/web:0");
    await ok("POST", "/openapi/service/yaml/production/raw?projectKey=shop", { service_name: "web", yaml });
    const placed = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
    await ok("POST", `${environments}?projectKey=shop`, { env_key: "live", namespace, ...placed });
    const added = { env_key: "live", service_list: [{ service_name: "web" }] };
    await waitFor("the production environment to be created", async () => {
      const answer = await slipway.call("POST", `${environments}/service/yaml?projectKey=shop`, { body: added });
      return answer.status === 200;
    });
    await untilImage("example.com/web:0");
    const deploy = { name: "deploy", type: "zadig-deploy", spec: { env: "live", production: true, source: "runtime" } };
    const asking = { type: "native", native_approval: { needed_approvers: 1, approve_users: [{ user_id: lee.uid }] } };
    const ask = { name: "ask", type: "approval", spec: asking };
    // The tasks of `asked` are under way for as long as Lee says nothing.
    for (const [name, stages] of Object.entries({ ship: [deploy], asked: [ask, deploy] })) {
      const body = { name, project: "shop", stages: stages.map((job) => ({ name: job.name, jobs: [job] })) };
      await ok("POST", "/openapi/workflows/custom", { ...body, concurrency_limit: -1 });
    }
  });

  afterAll(async () => {
    await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
    client.close();
    await slipway.close();
  });

  async function imageNow(): Promise<unknown> {
    const live = await client.get({ apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace });
    return (at(live, ["spec", "template", "spec", "containers"]) as { image: string }[])[0]?.image;
  }

  const untilImage = (image: string) =>
    waitFor(`production to run ${image}`, async () => (await imageNow().catch(() => "")) === image, 60);

  /** A job that deploys an image of `web` to production. */
  function shipping(workflow_key: "ship" | "asked", image_name: string) {
    const service_list = [{ service_name: "web", service_module: "main", image_name }];
    const parameters = { env_name: "live", service_list };
    const inputs = [{ job_name: "deploy", job_type: "zadig-deploy", parameters }];
    return { name: image_name, type: "workflow", spec: { workflow_key, project_key: "shop", remark: "R-17", inputs } };
  }

  const read = (id: string) => calls.ok<ShownPlan>("GET", `${plans}/${id}`);

  async function drafted(more: object): Promise<string> {
    const { id } = await calls.ok<{ id: string }>("POST", plans, planBody());
    await calls.ok("PATCH", `${plans}/${id}`, planBody(more));
    return id;
  }

  const send = (id: string, call: string, body?: object, { token }: Person = lee): Promise<Answer<Refused>> =>
    slipway.call<Refused>("POST", `${plans}/${id}/${call}`, { token, ...(body !== undefined && { body }) });

  async function move(id: string, ...statuses: string[]): Promise<void> {
    for (const status of statuses) {
      const answer = await send(id, `status/${status}`);
      expect(answer.status, `${status}: ${answer.text}`).toBe(200);
    }
  }

  async function act(id: string, verb: string, place: number, reason?: string, by = lee): Promise<Answer<Refused>> {
    const { id: jobId = "", name, type } = (await read(id)).jobs[place] ?? {};
    const query = reason === undefined ? "" : `?override_reason=${encodeURIComponent(reason)}`;
    return send(id, `${verb}${query}`, { id: jobId, name, type, spec: {} }, by);
  }

  async function acted(id: string, verb: string, place: number, reason?: string): Promise<void> {
    const answer = await act(id, verb, place, reason);
    expect(answer.status, answer.text).toBe(200);
  }

  const until = (id: string, status: string) =>
    waitFor(
      `the plan to be ${status}`,
      async () => {
        const plan = await read(id);
        return plan.status === status && plan;
      },
      60,
    );

  /** The task of a job ends a moment before the plan knows. */
  const untilJob = (id: string, place: number, status: string) =>
    waitFor(
      `job ${place} to be ${status}`,
      async () => {
        const plan = await read(id);
        return plan.jobs[place]?.status === status && plan;
      },
      60,
    );

  async function shipped(id: string, place: number): Promise<Shipped> {
    const spec = (await read(id)).jobs[place]?.spec ?? {};
    return { workflow: (spec.workflow as { name: string }).name, taskId: Number(spec.task_id) };
  }

  async function untilAsked(id: string, place: number): Promise<Shipped> {
    const task = await shipped(id, place);
    await tasks.until(task.workflow, task.taskId, "asking", ({ stages }) =>
      stages.some(({ jobs }) => jobs.some(({ status }) => status === "wait_for_approval")),
    );
    return task;
  }

  async function answered({ workflow, taskId }: Shipped, approve: boolean): Promise<void> {
    const answer = await tasks.approve(workflow, taskId, "ask", approve, lee.token);
    expect(answer.status, answer.text).toBe(200);
  }

  async function logOf(id: string): Promise<string[]> {
    const { list } = await calls.ok<{ list: { username: string; detail: string }[] }>("GET", `${plans}/${id}/logs`);
    return list.map(({ username, detail }) => `${username}: ${detail}`).reverse();
  }

  /** Every change of a status as the event bus was told of it, in order: an arrow from each to the next. */
  function told(id: string): string {
    const lines = readFileSync(join(slipway.dataDir, "events.ndjson"), "utf8").trimEnd().split("\n");
    const events = lines.map((line) => JSON.parse(line) as { "detail-type": string; detail: Record<string, unknown> });
    const own = events.filter(({ detail }) => detail.plan_id === id);
    for (const event of own) {
      const names = { index: expect.any(Number), name: "plan", time: expect.any(Number) };
      expect(event).toMatchObject({ "detail-type": "release plan status changed", detail: names });
    }
    return own.reduce((way, { detail: { from, to } }) => {
      expect(from, `what came before ${to}`).toBe(way.split(" > ").at(-1));
      return `${way} > ${to}`;
    }, "planning");
  }

  async function notedReasons(): Promise<string[]> {
    const path = "/openapi/system/operation?searchType=all&perPage=100&page=1";
    const { operation_logs } = await calls.ok<{ operation_logs: { method: string; request_body: string }[] }>(
      "GET",
      path,
    );
    return operation_logs
      .map(({ method, request_body }) => [method, request_body.match(/"override_reason":"([^"]*)"/)?.[1]] as const)
      .flatMap(([method, reason]) => (reason === undefined ? [] : [`${method}: ${reason}`]));
  }

  describe(`a release plan on ${cluster}`, () => {
    test("goes from its draft to its success by calls, and deploys to production when its job is executed", async () => {
      const jobs = [textJob("tell support"), shipping("ship", "example.com/web:1")];
      const id = await drafted({ jobs, start_time: nowSeconds() - 60, end_time: nowSeconds() + 3600 });
      expect((await act(id, "execute", 0)).json.description).toContain("plan status is planning, can not execute");
      await move(id, "finish_planning", "executing");
      expect(await imageNow()).toBe("example.com/web:0");
      await acted(id, "execute", 0);
      await acted(id, "execute", 1);
      const over = await until(id, "success");
      expect(await imageNow()).toBe("example.com/web:1");
      expect(over.jobs.map(({ status, executed_by }) => [status, executed_by])).toEqual(Array(2).fill(["done", "lee"]));
      const reached = [over.planning_time, over.executing_time, over.success_time];
      expect(reached.every((time) => time > 0)).toBe(true);
      expect(reached).toEqual(reached.toSorted((a, b) => a - b));
      const { taskId } = await shipped(id, 1);
      expect(await tasks.read("ship", taskId)).toMatchObject({ task_creator: "lee", remark: "R-17" });
      expect(await logOf(id)).toEqual([
        ...["admin: created", "admin: replaced", "lee: planning finished", "lee: execution started", "lee: done"],
        ...[`lee: task ${taskId} started`, `System: task ${taskId} ended passed`, "System: all jobs are over"],
      ]);
      expect(told(id)).toBe("planning > finish_planning > executing > success");
    });

    test("executes when two of three have approved, and not before", async () => {
      const asked = approvalBy(...approvers.map(({ uid }) => uid));
      const approval = { ...asked, native_approval: { ...asked.native_approval, needed_approvers: 2 } };
      const id = await drafted({ jobs: [shipping("ship", "example.com/web:2")], approval });
      await move(id, "finish_planning");
      expect((await send(id, "status/executing")).json.description).toContain("approval status is not decided");
      await move(id, "wait_for_approval");
      const [kim, ann, ben] = approvers as [Person, Person, Person];
      const decide = (by: Person) => send(id, "approve", { approve: true, comment: "ok" }, by);
      expect((await decide(lee)).status).toBe(403);
      expect((await decide(kim)).status).toBe(200);
      expect((await read(id)).status).toBe("wait_for_approval");
      expect((await act(id, "execute", 0)).json.description).toContain("plan status is wait_for_approval");
      expect((await decide(ann)).status).toBe(200);
      expect(await read(id)).toMatchObject({ status: "executing", approval: { status: "passed" } });
      expect((await decide(ben)).json.description).toContain("plan status is executing, can not approve");
      await acted(id, "execute", 0);
      expect((await until(id, "success")).approval_time).toBeGreaterThan(0);
      expect(await imageNow()).toBe("example.com/web:2");
      expect(await logOf(id)).toEqual(expect.arrayContaining(["System: approval passed", "kim: approved: ok"]));
      expect(told(id)).toBe("planning > finish_planning > wait_for_approval > executing > success");
    });

    test("that is denied is planned again, and needs its approval again", async () => {
      const [kim] = approvers as [Person];
      const id = await drafted({ jobs: [textJob("tell")], approval: approvalBy(kim.uid) });
      await move(id, "finish_planning", "wait_for_approval");
      expect((await send(id, "approve", { approve: false, comment: "not today" }, kim)).status).toBe(200);
      expect((await act(id, "execute", 0)).json.description).toContain("plan status is denied, can not execute");
      await move(id, "planning", "finish_planning");
      expect((await send(id, "status/executing")).json.description).toContain("approval status is not decided");
      expect(told(id)).toBe("planning > finish_planning > wait_for_approval > denied > planning > finish_planning");
    });

    test("runs by itself at its hour, once, as the system", async () => {
      const schedule_execute_time = nowSeconds() + 3;
      const jobs = [shipping("ship", "example.com/web:3"), textJob("tell support")];
      const id = await drafted({ jobs, schedule_execute_time });
      await move(id, "finish_planning", "executing");
      await untilImage("example.com/web:3");
      const ran = await untilJob(id, 0, "done");
      expect(ran).toMatchObject({ status: "executing", jobs: [{ executed_by: "System" }, { status: "todo" }] });
      expect(ran.jobs[0]?.executed_time).toBeGreaterThanOrEqual(schedule_execute_time);
      await acted(id, "skip", 1);
      await until(id, "success");
      const log = await logOf(id);
      expect(log.filter((entry) => entry === "System: the scheduled time has come")).toHaveLength(1);
      expect(log.filter((entry) => /^System: task \d+ started$/.test(entry))).toHaveLength(1);
      expect(told(id)).toBe("planning > finish_planning > executing > success");
    });

    test("times out with its window; planned again, what was done stays done, and a replacement begins anew", async () => {
      const jobs = [shipping("ship", "example.com/web:4"), shipping("asked", "example.com/web:5")];
      const id = await drafted({ jobs });
      await move(id, "finish_planning", "executing");
      await acted(id, "execute", 0);
      await untilJob(id, 0, "done");
      const first = await shipped(id, 0);

      await move(id, "planning");
      const end_time = nowSeconds() + 5;
      const spec = { start_time: end_time - 60, end_time };
      await calls.ok("PUT", `${plans}/${id}`, { verb: "update_time_range", spec });
      await move(id, "finish_planning", "executing");
      expect((await read(id)).jobs).toMatchObject([{ status: "done", executed_by: "lee" }, { status: "todo" }]);
      await acted(id, "execute", 1);
      const second = await untilAsked(id, 1);
      await until(id, "timeout");
      expect(nowSeconds()).toBeGreaterThan(end_time);
      expect((await act(id, "skip", 1)).json.description).toContain("plan status is timeout, can not skip");
      // What runs by then runs on, and its end is known.
      await answered(second, true);
      expect(await untilJob(id, 1, "done")).toMatchObject({ status: "timeout", success_time: 0 });
      expect(await imageNow()).toBe("example.com/web:5");

      await move(id, "planning");
      const wide = { start_time: 0, end_time: nowSeconds() + 3600 };
      await calls.ok("PUT", `${plans}/${id}`, { verb: "update_time_range", spec: wide });
      await move(id, "finish_planning", "executing");
      const kept = await read(id);
      expect(kept.status).toBe("success");
      expect([await shipped(id, 0), await shipped(id, 1)]).toEqual([first, second]);

      const again = await drafted({ jobs, start_time: nowSeconds() - 60, end_time: nowSeconds() - 1 });
      await move(again, "finish_planning", "executing");
      await until(again, "timeout");
      await calls.ok("PATCH", `${plans}/${again}`, planBody({ jobs }));
      expect(await read(again)).toMatchObject({ status: "planning", executing_time: 0, jobs: [{ status: "" }, {}] });
      await move(again, "finish_planning", "executing");
      expect((await read(again)).jobs.map(({ status }) => status)).toEqual(["todo", "todo"]);
      expect(told(again)).toBe(
        "planning > finish_planning > executing > timeout > planning > finish_planning > executing",
      );
      expect(told(id)).toBe(
        "planning > finish_planning > executing > planning > finish_planning > executing > timeout" +
          " > planning > finish_planning > executing > success",
      );
    });

    test("refuses its jobs before its window, and goes on", async () => {
      const soon = { start_time: nowSeconds() + 3600, end_time: nowSeconds() + 7200 };
      const id = await drafted({ jobs: [shipping("ship", "example.com/web:6")], ...soon });
      await move(id, "finish_planning", "executing");
      for (const verb of ["execute", "skip", "retry"])
        expect((await act(id, verb, 0)).json.description).toContain("plan is not in the release time range");
      expect(await read(id)).toMatchObject({ status: "executing", jobs: [{ status: "todo" }] });
      await move(id, "cancel");
    });

    test("meets a freeze at execute and at retry, passes it with a reason, and is abandoned without a trace", async () => {
      const jobs = [shipping("asked", "example.com/web:7"), shipping("asked", "example.com/web:8")];
      const [kim] = approvers as [Person];
      const id = await drafted({ jobs });
      await move(id, "finish_planning", "executing");
      const end_time = nowSeconds() + 3600;
      const where = { environments: [{ project_key: "shop", env_name: "live" }] };
      const books = { name: "Year end", reason: "the books are open", start_time: nowSeconds() - 60, end_time };
      const freeze = await calls.ok<{ id: string }>("POST", freezes, { ...books, ...where });
      const frozen = {
        ...{ code: 409, description: expect.stringContaining('by "Year end": the books are open') },
        extra: { freeze: { name: "Year end", reason: "the books are open", end_time } },
      };
      try {
        expect((await act(id, "execute", 0)).json).toMatchObject(frozen);
        expect(await read(id)).toMatchObject({ status: "executing", jobs: [{ status: "todo" }, { status: "todo" }] });
        const mine = await act(id, "execute", 0, "I want to", kim);
        expect(mine.json).toMatchObject({
          code: 403,
          description: expect.stringContaining("override_freeze in project shop"),
        });
        await acted(id, "execute", 0, "agreed with Ada");
        const task = await untilAsked(id, 0);
        await answered(task, false);
        await untilJob(id, 0, "failed");
        await tasks.end("asked", task.taskId);

        expect((await act(id, "retry", 0)).json).toMatchObject(frozen);
        expect((await read(id)).jobs[0]?.status).toBe("failed");
        await acted(id, "retry", 0, "agreed with Bob");
        expect(await untilAsked(id, 0)).toEqual(task);
        await answered(task, true);
        await untilJob(id, 0, "done");
        expect(await imageNow()).toBe("example.com/web:7");
        const log = await logOf(id);
        for (const reason of ["agreed with Ada", "agreed with Bob"])
          expect(log).toContain(`lee: task ${task.taskId} started, whatever is frozen: ${reason}`);
        expect(await notedReasons()).toEqual([
          "Retry: agreed with Bob",
          "Execute: agreed with Ada",
          "Execute: I want to",
        ]);
      } finally {
        await calls.ok("DELETE", `${freezes}/${freeze.id}`);
      }

      await acted(id, "execute", 1);
      const { taskId } = await untilAsked(id, 1);
      await move(id, "cancel");
      expect((await tasks.end("asked", taskId)).status).toBe("cancelled");
      expect(await imageNow()).toBe("example.com/web:7");
      const { json } = await slipway.call<{ workflow_tasks: { status: string }[] }>(
        "GET",
        "/openapi/workflows/custom/asked/tasks?projectKey=shop&pageSize=100",
      );
      expect(json.workflow_tasks.filter(({ status }) => !["passed", "cancelled"].includes(status))).toEqual([]);
      expect((await send(id, "status/planning")).json.description).toContain(
        "can't convert plan status cancel to planning",
      );
      expect(told(id)).toBe("planning > finish_planning > executing > cancel");
    });
  });
}
