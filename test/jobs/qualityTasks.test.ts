import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type DefinitionCalls, repo, startForDefinitions } from "../harness/definitionCalls.ts";
import { qualityTasksOf } from "../harness/qualityTasks.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const path = "/openapi/quality/testing";
/** Leaves a report of a case that passed and, when asked for, one that failed. */
const script = [
  'echo "level $LEVEL"; [ "$TOKEN" = "of-this-start" ] && echo "given $TOKEN"',
  "mkdir -p reports",
  'echo \'<testsuite time="1.5"><testcase name="adds" time="1"/></testsuite>\' > reports/a.xml',
  '[ "$LEVEL" != high ] ||',
  '  echo \'<testsuite><testcase name="divides" time="0.5"><failure message="by zero" type="Wrong">at 1</failure></testcase></testsuite>\' > reports/b.xml',
].join("\n");
const smoke = {
  ...{ name: "smoke", project_key: "shop", build_os: "ubuntu 20.04", script, report_dir: "reports" },
  parameters: [
    { key: "LEVEL", type: "string", value: "low" },
    { key: "TOKEN", type: "string", value: "the-stored-one", is_credential: true },
  ],
};
const adds = { name: "adds", time: 1, failure: null, error: null };
const divides = {
  ...{ name: "divides", time: 0.5, error: null },
  failure: { message: "by zero", type: "Wrong", text: "at 1" },
};

let calls: DefinitionCalls;
let tasks: ReturnType<typeof qualityTasksOf>;

beforeAll(async () => {
  calls = await startForDefinitions();
  tasks = qualityTasksOf(calls);
  await calls.ok("POST", path, smoke);
});

afterAll(() => calls.slipway.close());

describe("a task of a test", () => {
  const key = encodeURIComponent("zadig-testing-shop:smoke");
  const logOf = async (id: number) =>
    (await calls.slipway.call("GET", `/openapi/logs/log/v4/workflow/${key}/${id}/smoke`)).text;

  test("that passed has its report, and its log stands under its key", async () => {
    const id = await tasks.test.start("smoke");
    expect(await tasks.test.end("smoke", id)).toEqual({
      ...{ test_name: "smoke", task_id: id, creator: "admin", status: "passed", error: "" },
      ...{ create_time: expect.any(Number), start_time: expect.any(Number), end_time: expect.any(Number) },
      test_report: {
        ...{ test_total: 1, success_total: 1, failure_total: 0, skiped_total: 0, error_total: 0, time: 1.5 },
        test_cases: [adds],
      },
    });
    expect(await logOf(id)).toContain("level low");
    const console = (way: string, query: string) =>
      calls.slipway.call("GET", `/api/aslan/logs/${way}/testing/smoke/tasks/${id}?${query}`);
    expect((await console("log", "projectName=shop")).text).toBe(await logOf(id));
    expect((await console("sse", "projectKey=shop&lines=1")).text).toMatch(
      /^id:\S+Z\.\d+\nevent:message\ndata:level low\n\n$/,
    );
    expect((await console("files", "projectKey=shop")).json).toEqual({ files: [] });
    for (const way of ["log", "sse", "files"]) {
      expect((await console(way, "projectKey=other")).json).toMatchObject({ code: 404 });
      for (const [path, which] of [
        [`workflow/${key}/99/smoke`, "task"],
        [`workflow/${key}/${id}/nothing`, "job"],
        [`workflow/nowhere/1/smoke`, "workflow"],
      ]) {
        const lines = way === "sse" ? "/10" : "";
        const { json } = await calls.slipway.call("GET", `/openapi/logs/${way}/v4/${path}${lines}`);
        expect(json, `${way} of an unknown ${which}`).toMatchObject({ code: 404, message: "Request Not Found" });
      }
    }
    expect((await console("log", "")).status).toBe(400);
  });

  test("that failed has its report too; values of the start call stand for those of the test", async () => {
    const inputs = [
      { key: "LEVEL", value: "high" },
      { key: "TOKEN", value: "of-this-start" },
    ];
    const id = await tasks.test.start("smoke", { inputs });
    const { status, test_report } = await tasks.test.end("smoke", id);
    expect([status, test_report]).toEqual([
      "failed",
      {
        ...{ test_total: 2, success_total: 1, failure_total: 1, skiped_total: 0, error_total: 0, time: 2 },
        test_cases: [adds, divides],
      },
    ]);
    expect(await logOf(id)).toContain("given ******\n");
    const detail = await calls.slipway.call("GET", `/openapi/workflows/custom/task?workflowKey=${key}&taskId=${id}`);
    expect(detail.text).not.toContain("of-this-start");
  });

  test("that is retried runs the test as it is now, with what its start call said", async () => {
    const [level, token] = smoke.parameters;
    await calls.ok("PUT", path, { ...smoke, parameters: [{ ...level, value: "high" }, token] });
    const id = await tasks.test.start("smoke", { inputs: [{ key: "TOKEN", value: "of-this-start" }] });
    expect((await tasks.test.end("smoke", id)).status).toBe("failed");
    await calls.ok("PUT", path, { ...smoke, parameters: [level, { ...token, value: "a-later-one" }] });
    await calls.ok("POST", `/openapi/workflows/custom/${key}/task/${id}?projectKey=shop`);
    expect(await tasks.test.end("smoke", id)).toMatchObject({ status: "passed", test_report: { test_total: 1 } });
    expect(await logOf(id)).toBe("level low\ngiven ******\n");
  });
});

describe("a task of a code scan", () => {
  const scans = "/openapi/quality/codescan";
  const lint = { project_key: "shop", scanner_type: "other", image_name: "ubuntu 20.04" };

  test("passes or fails as its job does; without a body nothing is overridden", async () => {
    const parameters = [{ key: "CODE", type: "string", value: "0" }];
    await calls.ok("POST", scans, { ...lint, name: "quick", parameters, script: "echo code $CODE; exit $CODE" });
    const passed = await tasks.scan.start("quick");
    const failed = await tasks.scan.start("quick", {
      scan_kvs: [
        { key: "CODE", value: "3" },
        { key: "ODD", value: "" },
      ],
    });
    expect([passed, failed]).toEqual([1, 2]);
    expect(await tasks.scan.end("quick", passed)).toEqual({
      ...{ scan_name: "quick", creator: "admin", task_id: passed, status: "passed", result_link: "", repo_info: [] },
      ...{ create_time: expect.any(Number), end_time: expect.any(Number) },
    });
    expect((await tasks.scan.end("quick", failed)).status).toBe("failed");
    const log = (way: string) =>
      calls.slipway.call("GET", `/api/aslan/logs/${way}/scanning/quick/task/${failed}?projectKey=shop`);
    expect((await log("log")).text).toBe("code 3\n");
    expect((await log("sse")).text).toContain("data:code 3\n");
    expect((await log("files")).json).toEqual({ files: [] });
  });

  test("clones the configured repositories, on branches and with pull requests of the start call", async () => {
    const second = { ...repo, repo_name: "api" };
    await calls.ok("POST", scans, { ...lint, name: "cloning", repo_info: [repo, second] });
    const web = { source: "gitlab", repo_owner: "team", repo_name: "web", branch: "next", prs: [3, 4] };
    const unknown = { ...web, repo_name: "docs" };
    const id = await tasks.scan.start("cloning", { scan_repos: [unknown, web] });
    const same = { source: "gitlab", repo_owner: "team", address: "https://git.example.com", remote_name: "origin" };
    const plain = { hidden: false, checkout_path: "", submodules: false };
    expect((await tasks.scan.read("cloning", id)).repo_info).toEqual([
      { ...same, ...plain, repo_name: "web", branch: "next", prs: [3, 4] },
      { ...same, ...plain, repo_name: "api", branch: "main", prs: [] },
    ]);
  });
});
