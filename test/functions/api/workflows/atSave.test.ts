import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Slipway } from "../../../harness/slipway.ts";
import { makeGates, startShop, type tasksOf } from "../../../harness/tasks.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

interface Saved {
  code?: number;
  description: string;
  warnings?: { code: string; message: string }[];
}

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/cases/${name}`, import.meta.url), "utf8"));

beforeAll(async () => {
  ({ slipway, tasks } = await startShop({ podDelayMilliseconds: 0 }));
  await makeGates("shop", "timed", [1]);
});

afterAll(() => slipway?.close());

const body = (name: string, jobs: object[]) => ({ name, project: "shop", stages: [{ name: "one", jobs }] });
const save = (name: string, ...jobs: object[]) =>
  slipway.call<Saved>("POST", "/openapi/workflows/custom", { body: body(name, jobs) });
const script = (spec: object) => ({ name: "say", type: "freestyle", spec: { script: "true", ...spec } });

describe("the time zone of a cron and of a freeze (decisions 19.6)", () => {
  const { cases } = read<{ cases: { zone: string; accepted: boolean }[] }>("zones.json");
  const more = [
    { zone: "IST", accepted: false },
    { zone: "PRC", accepted: false },
    { zone: "US/Pacific", accepted: true },
    { zone: "Asia/Ho_Chi_Minh", accepted: true },
  ];
  test.each([...cases, ...more].map((one, at) => [one.zone, one.accepted, at] as const))(
    "%s: %s",
    async (zone, accepted, at) => {
      const cron = await slipway.call("POST", "/api/aslan/workflow/v4/cron/timed", {
        body: { name: `cron-${at}`, cron: "0 9 * * *", time_zone: zone },
      });
      expect(cron.status, cron.text).toBe(accepted ? 200 : 400);
      const freeze = { name: `f-${at}`, reason: "r", cron: "0 22 * * *", duration_minutes: 60, time_zone: zone };
      const frozen = await slipway.call("POST", "/openapi/release_plan/v1/freezes", { body: freeze });
      if (accepted) expect(frozen.text).not.toContain("time_zone");
      else expect(frozen.text).toContain("time_zone");
    },
  );
});

describe("base images (decisions 19.8)", () => {
  const { listed, cases } = read<{
    listed: { value: string; label: string }[];
    cases: { build_os: string; image_from?: string; expect: "runs" | "unknown" }[];
  }>("base-images.json");

  test("those that are always there are listed with those that were added", async () => {
    const path = "/api/aslan/system/basicImages";
    await slipway.call("POST", path, { body: { label: "own", value: "own:1" } });
    const list = async (query: string) =>
      (await slipway.call<{ id: string; value: string; label: string }[]>("GET", `${path}${query}`)).json;
    expect(await list("?image_from=koderover")).toMatchObject(listed);
    expect((await list("")).map(({ label }) => label)).toEqual(["ubuntu 20.04", "ubuntu 18.04", "own"]);
    expect((await list("?image_from=custom")).map(({ label }) => label)).toEqual(["own"]);
  });

  const more = [
    { build_os: "jammy", expect: "unknown" as const },
    { build_os: "Focal", expect: "unknown" as const },
  ];
  test.each([...cases, ...more].map((one, at) => [at, one] as const))("%i: %j", async (at, one) => {
    const { expect: expected, ...place } = one;
    const name = `image-${at}`;
    const { status, json, text } = await save(name, script({ runtime: { infrastructure: "kubernetes", ...place } }));
    if (expected === "unknown") {
      expect(json.code, text).toBe(6545);
      expect(json.description).toContain(`base image ${place.build_os} does not exist`);
      return;
    }
    expect(status, text).toBe(200);
    expect((await tasks.end(name, await tasks.started(name, ["say"]))).status).toBe("passed");
  });

  test("an id that no image has is not the default image", async () => {
    const { json } = await save("by-id", script({ runtime: { image_id: "0123456789abcdef01234567" } }));
    expect(json.description).toContain("stages[0].jobs[0].spec.runtime.image_id");
  });

  test("builds name them too", async () => {
    const build = {
      ...{ name: "made", project_key: "shop", infrastructure: "kubernetes", build_os: "bionic", script_type: "shell" },
      ...{ installs: [], build_script: "true", services: [{ service_name: "web", service_module: "web" }] },
    };
    const made = await slipway.call("POST", "/openapi/build?projectKey=shop", { body: build });
    if (made.status !== 200) expect(made.text).not.toContain("base image");
  });
});

describe("kinds of jobs that cannot run here (decisions 19.9)", () => {
  test.each(["jira-like", "blueking", "sae-deploy"])(
    "%s is saved with a warning, and a start that reaches it is refused",
    async (type) => {
      const name = `odd-${type}`;
      const odd = { name: "odd", type, spec: { anything: 1 } };
      const { status, json } = await save(name, script({}), odd);
      expect(status).toBe(200);
      expect(json.warnings).toMatchObject([{ code: "job_kind_not_run", message: expect.stringContaining(type) }]);
      const linted = await slipway.call<Saved>("POST", "/api/aslan/workflow/v4/lint", {
        body: body(`${name}-again`, [script({}), odd]),
      });
      expect(linted.json.warnings).toEqual(json.warnings);
      const { json: refused } = await tasks.start(name, ["say", "odd"]);
      expect(refused).toMatchObject({
        code: 6160,
        description: expect.stringContaining(`job odd: jobs of type ${type}`),
      });
      expect((await tasks.end(name, await tasks.started(name, ["say"]))).status).toBe("passed");
    },
  );

  test("scripts that cannot run are warned of", async () => {
    const { json } = await save("windows", script({ script_type: "batch_file" }));
    expect(json.warnings).toMatchObject([{ code: "job_kind_not_run", message: expect.stringContaining("batch_file") }]);
  });
});

describe("a workflow that would start itself (decisions 19.5)", () => {
  const trigger = (...names: string[]) => ({
    ...{ name: "start", type: "workflow-trigger" },
    spec: { trigger_type: "fixed", fixed_workflow_list: names.map((workflow_name) => ({ workflow_name })) },
  });
  const update = (name: string, ...jobs: object[]) =>
    slipway.call<Saved>("PUT", `/openapi/workflows/custom/${name}`, { body: body(name, jobs) });
  const hook = (workflow: string, after: string) =>
    slipway.call<Saved>("POST", `/api/aslan/workflow/v4/workflowhook/${workflow}`, {
      body: { name: `after-${after}`, workflow_key: after, statuses: ["passed"] },
    });

  test("by its own job is refused", async () => {
    const { json } = await save("selfish", script({}), trigger("selfish"));
    expect(json).toMatchObject({
      code: 6545,
      description: expect.stringContaining(
        "stages[0].jobs[1].spec.fixed_workflow_list[0].workflow_name: closes a circle: selfish → selfish",
      ),
    });
  });

  test("by a job of another one, by a hook, and by both, is refused; a way without a circle is not", async () => {
    for (const name of ["a", "b", "c"]) expect((await save(name, script({}))).status).toBe(200);
    expect((await update("a", script({}), trigger("b"))).status).toBe(200);
    expect((await update("b", script({}), trigger("a"))).json.description).toContain("b → a → b");
    expect((await hook("c", "b")).status).toBe(200);
    expect((await update("c", script({}), trigger("a"))).json.description).toContain("c → a → b → c");
    const circle = await hook("a", "c");
    expect(circle.json.description).toContain("circle: a → b → c → a");
    expect((await save("d", trigger("a", "b"))).status).toBe(200);
  });
});
