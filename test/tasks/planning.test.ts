import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { recordAllStoreCalls } from "../../shared/base/store/storeCalls.ts";
import { type JenkinsStandIn, startJenkinsServer } from "../harness/jenkinsServer.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const login = { username: "ci", password: "11aa22bb33cc44dd" };
let jenkins: JenkinsStandIn;
let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  jenkins = await startJenkinsServer(login, { plain: { console: ["Finished\n"], result: "SUCCESS" } });
  const settings = { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" };
  ({ slipway, tasks } = await startShop({ podDelayMilliseconds: 0, settings }));
});

afterAll(async () => {
  await slipway?.close();
  await jenkins?.close();
});

type Job = { name: string };
const gates = (count: number) => Array.from({ length: count }, (_, at) => gate(`gate-${at}`));
const save = (name: string, jobs: readonly Job[], more: object = {}, method: "POST" | "PUT" = "POST") =>
  slipway.call<{ description: string }>(
    method,
    method === "PUT" ? `/openapi/workflows/custom/${name}` : "/openapi/workflows/custom",
    { body: { name, project: "shop", stages: [{ name: "one", parallel: true, jobs }], ...more } },
  );
const namesOf = (jobs: readonly Job[]) => jobs.map(({ name }) => name);
const script = (name: string, text: string) => ({
  ...{ name, type: "freestyle" },
  spec: { script: text, runtime: { infrastructure: "kubernetes", build_os: "focal" } },
});

describe("a task of more jobs than a request plans (decisions 19.12)", () => {
  test("of 500 jobs is accepted by no more calls of the table than one of 60", async () => {
    const callsOf = async (count: number) => {
      const name = `many-${count}`;
      const jobs = [
        script("first", "sleep 20"),
        ...Array.from({ length: count }, (_, at) => script(`say-${at}`, "true")),
      ];
      expect((await save(name, jobs, { concurrency_limit: 1 })).status).toBe(200);
      // The second one waits for this one's end, so nothing of it runs while its start is measured.
      const first = await tasks.started(name, ["first"]);
      await tasks.until(name, first, "running", ({ stages }) => stages[0]?.jobs[0]?.status === "running");
      const { result, calls } = await recordAllStoreCalls(() => tasks.start(name, namesOf(jobs)));
      expect(result.status, result.text).toBe(200);
      expect((await tasks.read(name, result.json.task_id)).stages).toEqual([]);
      for (const id of [result.json.task_id, first]) await tasks.cancel(name, id);
      return calls.length;
    };
    expect(Math.abs((await callsOf(498)) - (await callsOf(60)))).toBeLessThan(30);
  });

  test("of 500 jobs runs them all", async () => {
    const jobs = gates(500);
    expect((await save("gates", jobs)).status).toBe(200);
    const task = await tasks.end("gates", await tasks.started("gates", namesOf(jobs)), 250);
    expect(task.status).toBe("passed");
    expect(task.stages[0]?.jobs.map(({ status }) => status)).toEqual(jobs.map(() => "passed"));
  });

  test("of 501 jobs is refused when it is saved", async () => {
    const { status, json } = await save("over", gates(501));
    expect([status, json.description]).toEqual([400, expect.stringContaining("at most 500 are allowed")]);
  });

  test("has its parameters, credentials among them", async () => {
    const say = script("say", `echo "$WHO has {{.workflow.params.pin}}" | tr a-z A-Z`);
    const jobs = [{ ...say, spec: { ...say.spec, envs: [{ key: "WHO", value: "{{.workflow.params.who}}" }] } }];
    const params = [
      { name: "who", type: "string", value: "nobody" },
      { name: "pin", type: "string", value: "", is_credential: true },
    ];
    expect((await save("params", [...gates(60), ...jobs], { params })).status).toBe(200);
    const parameters = [
      { name: "who", type: "string", value: "ada" },
      { name: "pin", type: "string", value: "s3cret" },
    ];
    const id = await tasks.started("params", ["say", ...namesOf(gates(60))], { parameters });
    expect((await tasks.end("params", id, 120)).status).toBe("passed");
    expect((await slipway.call("GET", `/openapi/logs/log/v4/workflow/params/${id}/say`)).text).toBe("ADA HAS S3CRET\n");
  });

  test("that cannot run fails with the sentence, and runs once it can and is retried", async () => {
    const path = "/api/aslan/system/cicdTools";
    const server = { type: "jenkins", name: "ci", url: jenkins.url, ...login };
    const added = await slipway.call<{ id: string }>("POST", path, { body: server });
    const build = { name: "build", type: "jenkins", spec: { id: added.json.id, jobs: [{ job_name: "plain" }] } };
    const jobs = [...gates(60), build];
    const saved = await save("half", jobs);
    expect(saved.status, saved.text).toBe(200);
    const givenTo = async (projects: string[]) => {
      const { status, text } = await slipway.call("PUT", `${path}/${added.json.id}`, { body: { ...server, projects } });
      expect(status, text).toBe(200);
    };
    await givenTo(["another"]);
    const id = await tasks.started("half", namesOf(jobs));
    const task = await tasks.end("half", id, 60);
    expect([task.status, task.error]).toEqual(["failed", expect.stringContaining("ci is not for project shop")]);
    await givenTo(["shop"]);
    expect((await tasks.retry("half", id)).status).toBe(200);
    expect((await tasks.until("half", id, "passed", ({ status }) => status === "passed", 120)).status).toBe("passed");
  });

  test("with a job of a kind that cannot run here is refused at once", async () => {
    const jobs = [...gates(60), { name: "odd", type: "blueking", spec: {} }];
    expect((await save("odd", jobs)).status).toBe(200);
    const { status, json } = await tasks.start("odd", namesOf(jobs));
    expect([status, json]).toMatchObject([400, { code: 6160, description: expect.stringContaining("job odd: ") }]);
  });

  test("keeps what passed when it is retried", async () => {
    const jobs = [...gates(60), script("flaky", "exit 1"), script("good", "echo once >> runs; true")];
    expect((await save("again", jobs)).status).toBe(200);
    const id = await tasks.started("again", namesOf(jobs));
    const first = await tasks.end("again", id, 120);
    expect(first.status).toBe("failed");
    const startOf = (task: typeof first, job: string) =>
      task.stages[0]?.jobs.find(({ origin_name }) => origin_name === job)?.start_time;
    expect((await tasks.retry("again", id)).status).toBe(200);
    await tasks.until("again", id, "running again", ({ status }) => status !== "failed");
    const second = await tasks.end("again", id, 120);
    expect(second.status).toBe("failed");
    expect(startOf(second, "good")).toBe(startOf(first, "good"));
  });
});
