import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type DefinitionCalls, repo, startForDefinitions } from "../../../harness/definitionCalls.ts";
import { qualityTasksOf } from "../../../harness/qualityTasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";

vi.setConfig({ testTimeout: 60_000 });

const tests = "/openapi/quality/testing";
const scans = "/openapi/quality/codescan";
const parameters = [
  { key: "LEVEL", type: "string", value: "low" },
  { key: "TOKEN", type: "string", value: "a-secret-value", is_credential: true },
];
const unit = { project_key: "shop", build_os: "node 24", script: "true", parameters, repo_info: [repo] };
const lint = { project_key: "shop", scanner_type: "other", image_name: "node 24", script: "true", repo_info: [repo] };
/** A repository as the start call of a scan names it. */
const scanned = { source: "gitlab", repo_owner: "team", repo_name: "web", branch: "next" };

let calls: DefinitionCalls;
let tasks: ReturnType<typeof qualityTasksOf>;

beforeAll(async () => {
  calls = await startForDefinitions();
  tasks = qualityTasksOf(calls);
  await calls.ok("POST", tests, { ...unit, name: "unit" });
  await calls.ok("POST", scans, { ...lint, name: "lint" });
});

afterAll(() => calls.slipway.close());

describe("a start of a test", () => {
  test.each([
    ["no test name", { test_name: "" }, "test name cannot be empty"],
    [
      "an unknown input",
      { inputs: [{ key: "SIZE", value: "1" }] },
      'input "SIZE" does not exist in the test configuration',
    ],
    ["an input without key", { inputs: [{ key: "", value: "1" }] }, "key cannot be empty"],
    ["an input twice", { inputs: [parameters[0], parameters[0]] }, "duplicated key: LEVEL"],
    ["a repository without branch", { repo_info: [{ ...repo, branch: "" }] }, "branch cannot be empty"],
    [
      "a commit that is not to be used",
      { repo_info: [{ ...repo, branch: "", commit_id: "abc" }] },
      "branch cannot be empty",
    ],
    ["a repository without name", { repo_info: [{ ...repo, repo_name: "" }] }, "repo_name cannot be empty"],
    ["a repository twice", { repo_info: [repo, { ...repo, branch: "next" }] }, "duplicated repository: team/web"],
    [
      "a repository of another name",
      { repo_info: [{ ...repo, repo_name: "api" }] },
      "one or more repositories do not match the test configuration",
    ],
    [
      "a repository of an unknown code host",
      { repo_info: [{ ...repo, codehost_name: "nowhere" }] },
      "one or more repositories do not match the test configuration",
    ],
  ])("with %s is refused", async (_, more, sentence) => {
    const { status, json } = await tasks.test.refuse("unit", more);
    expect([status, json.code]).toEqual([400, 400]);
    expect(json.description).toContain(sentence);
  });

  test("of an unknown test is 404, and so is one of another project's", async () => {
    for (const [project_key, test_name] of [
      ["shop", "absent"],
      ["other", "unit"],
      ["nowhere", "unit"],
    ]) {
      const { status, json } = await calls.refused("POST", `${tests}/task`, { project_key, test_name });
      expect([status, json.code]).toEqual([404, 404]);
      expect(json.description).toBe(
        `find test[${test_name}] error: test ${test_name} of project ${project_key} does not exist`,
      );
    }
  });

  test("without a project is refused", async () => {
    const { status, json } = await calls.refused("POST", `${tests}/task`, { test_name: "unit" });
    expect([status, json.extra.problems?.map(({ path }) => path)]).toEqual([400, ["project_key"]]);
  });
});

describe("a start of a code scan", () => {
  test.each([
    ["branch", { ...scanned, branch: "" }, "branch cannot be empty"],
    ["source", { ...scanned, source: "" }, "source cannot be empty"],
    ["repo_owner", { ...scanned, repo_owner: "" }, "repo_owner cannot be empty"],
    ["repo_name", { ...scanned, repo_name: "" }, "repo_name cannot be empty"],
  ])("with a repository without %s is refused", async (_, sent, sentence) => {
    const { status, json } = await calls.refused("POST", `${scans}/lint/task?projectKey=shop`, { scan_repos: [sent] });
    expect([status, json.code]).toEqual([400, 400]);
    expect(json.description).toContain(sentence);
  });

  test("that is not there is what the specification samples: 500 with the reason", async () => {
    for (const [method, path, sentence] of [
      ["POST", "absent/task?projectKey=shop", "code scan absent of project shop does not exist"],
      ["POST", "lint/task?projectKey=other", "code scan lint of project other does not exist"],
      ["GET", "absent/task/1?projectKey=shop", "task 1 of code scan absent of project shop does not exist"],
      ["GET", "lint/task/999?projectKey=shop", "task 999 of code scan lint of project shop does not exist"],
    ] as const) {
      const { status, json } = await calls.slipway.call(method, `${scans}/${path}`);
      expect([status, json]).toEqual([
        500,
        { type: "error", code: 500, message: "Internal Error: ", description: sentence, extra: {} },
      ]);
    }
  });
});

describe("a task that is read", () => {
  test.each([
    ["abc", "invalid param taskID"],
    ["-1", "invalid param taskID"],
    ["1.5", "invalid param taskID"],
    ["0", "invalid params"],
  ])("by the number %s is refused", async (number, sentence) => {
    for (const path of [`${tests}/unit`, `${scans}/lint`]) {
      const { status, json } = await calls.refused("GET", `${path}/task/${number}?projectKey=shop`);
      expect([status, json.code, json.description]).toEqual([400, 400, `path taskID: ${sentence}`]);
    }
  });

  test("of a test that is not there, or of another project, is 404", async () => {
    for (const path of [
      "absent/task/1?projectKey=shop",
      "unit/task/999?projectKey=shop",
      "unit/task/1?projectKey=other",
    ])
      expect((await calls.refused("GET", `${tests}/${path}`)).status).toBe(404);
  });
});

describe("tasks", () => {
  test("are numbered for each test of a project, and a test made again begins with 1", async () => {
    await calls.ok("POST", tests, { ...unit, name: "unit", project_key: "other" });
    const first = await tasks.test.start("unit");
    expect(await tasks.test.start("unit")).toBe(first + 1);
    expect(await tasks.test.start("unit", { project_key: "other" })).toBe(1);
    expect(await tasks.test.read("unit", first)).toMatchObject({ test_name: "unit", task_id: first, creator: "admin" });
    expect((await tasks.test.read("unit", 1, "other")).task_id).toBe(1);
    await calls.ok("DELETE", `${tests}?projectKey=other&name=unit`);
    await calls.ok("POST", tests, { ...unit, name: "unit", project_key: "other" });
    expect((await calls.refused("GET", `${tests}/unit/task/1?projectKey=other`)).status).toBe(404);
    expect(await tasks.test.start("unit", { project_key: "other" })).toBe(1);
  });

  test("of tests and of scans of one name are numbered apart, also when many start at once", async () => {
    await calls.ok("POST", tests, { ...unit, name: "same" });
    await calls.ok("POST", scans, { ...lint, name: "same" });
    const all = (start: () => Promise<number>) => Promise.all(Array.from({ length: 8 }, start));
    const [ofTest, ofScan] = await Promise.all([
      all(() => tasks.test.start("same")),
      all(() => tasks.scan.start("same")),
    ]);
    for (const ids of [ofTest, ofScan]) expect(ids.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("are read and cancelled, listed and retried by the key that stands for a workflow's", async () => {
    const key = encodeURIComponent("zadig-testing-shop:unit");
    const id = await tasks.test.start("unit");
    await tasks.test.end("unit", id);
    const ofTask = `/openapi/workflows/custom/task?workflowKey=${key}&taskId=${id}`;
    expect(await calls.ok("GET", ofTask)).toMatchObject({
      ...{ task_id: id, workflow_key: "zadig-testing-shop:unit", workflow_name: "unit", project_key: "shop" },
      stages: [{ name: "test", jobs: [{ origin_name: "unit", type: "zadig-test" }] }],
    });
    const list = await calls.ok<{ total: number }>("GET", `/openapi/workflows/custom/${key}/tasks?projectKey=shop`);
    expect(list.total).toBe(id);
    await calls.ok("POST", `/openapi/workflows/custom/${key}/task/${id}?projectKey=shop`);
    await tasks.test.end("unit", id);
    const { status } = await calls.refused("POST", `/openapi/workflows/custom/${key}/task/${id}?projectKey=other`);
    expect(status).toBe(404);
  });
});

describe("repositories of a task", () => {
  const second = { ...repo, repo_name: "api" };
  const unmatched = { ...repo, repo_name: "docs", branch: "next" };
  const reposOf = async (key: string, id: number) => {
    const path = `/openapi/workflows/custom/task?workflowKey=${encodeURIComponent(key)}&taskId=${id}`;
    type Shown = { stages: { jobs: { spec: { repos: Record<string, unknown>[] } }[] }[] };
    return (await calls.ok<Shown>("GET", path)).stages[0]?.jobs[0]?.spec.repos;
  };

  test("of a test are the configured ones, with what the start call says of each", async () => {
    await calls.ok("POST", tests, { ...unit, name: "two", repo_info: [{ ...repo, tag: "v1" }, second] });
    const id = await tasks.test.start("two", { repo_info: [{ ...repo, branch: "next", prs: [7] }] });
    const commit = await tasks.test.start("two", {
      repo_info: [{ ...second, branch: "", enable_commit: true, commit_id: "abc" }],
    });
    const key = "zadig-testing-shop:two";
    const address = "https://git.example.com";
    expect(await reposOf(key, id)).toMatchObject([
      { repo_name: "web", branch: "next", prs: [7], tag: "", address },
      { repo_name: "api", branch: "main", prs: [], address },
    ]);
    expect(await reposOf(key, commit)).toMatchObject([
      { repo_name: "web", branch: "main", tag: "v1" },
      { repo_name: "api", branch: "main", enable_commit: true, commit_id: "abc" },
    ]);
    await tasks.test.refuse("two", { repo_info: [repo, unmatched] });
  });
});

describe("a test with a limit", () => {
  const held = { ...unit, name: "held", concurrency_limit: 1, repo_info: [], script: "sleep 600" };
  const statuses = (ids: readonly number[]) =>
    Promise.all(ids.map(async (id) => (await tasks.test.read("held", id)).status));

  test("runs no more at once; a new limit counts for what waits, 0 is none; a deletion ends all of them", async () => {
    await calls.ok("POST", tests, held);
    const ids = await Promise.all(Array.from({ length: 3 }, () => tasks.test.start("held")));
    ids.sort((a, b) => a - b);
    await waitFor("the first to run", async () => (await statuses(ids))[0] === "running");
    expect(await statuses(ids)).toEqual(["running", "waiting", "waiting"]);
    await calls.ok("PUT", tests, { ...held, concurrency_limit: 0 });
    await waitFor("all of them to run", async () => (await statuses(ids)).every((status) => status === "running"));
    const key = encodeURIComponent("zadig-testing-shop:held");
    await calls.ok("DELETE", `/openapi/workflows/custom/task?workflowKey=${key}&taskId=${ids[0]}`);
    expect(await tasks.test.end("held", ids[0] ?? 0)).toMatchObject({ status: "cancelled", test_report: null });
    await calls.ok("DELETE", `${tests}?projectKey=shop&name=held`);
  });
});
