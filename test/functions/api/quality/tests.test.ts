import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { table } from "../../../../shared/base/store/table.ts";
import { startUse } from "../../../../shared/base/store/uses.ts";
import { readCredentials } from "../../../../shared/workflows/jobDefinitions/readCredentials.ts";
import { findTest, tests } from "../../../../shared/workflows/jobDefinitions/store/tests.ts";
import { type DefinitionCalls, idOf, repo, startForDefinitions } from "../../../harness/definitionCalls.ts";

const path = "/openapi/quality/testing";
const sample = {
  name: "unit",
  project_key: "shop",
  description: "what must hold",
  repo_info: [repo],
  build_os: "node 24",
  installs: [{ name: "go", version: "1.24" }],
  script_type: "shell",
  script: "make test",
  parameters: [
    { key: "LEVEL", type: "string", value: "low" },
    { key: "TOKEN", type: "string", value: "a-secret-value", is_credential: true },
    { key: "EMPTY", type: "string", value: "", is_credential: true },
  ],
  report_dir: "web/reports",
  html_report_path: "web/html/index.html",
  archive_paths: ["web/dist"],
  pass_rate: 95,
  concurrency_limit: 2,
  advanced_settings: { cluster_name: "local", timeout: 20 },
};

let calls: DefinitionCalls;

beforeAll(async () => {
  calls = await startForDefinitions();
});

afterAll(() => calls.slipway.close());

interface Shown {
  parameters: { key: string; value: string }[];
  inputs: { key: string; has_value: boolean }[];
  [field: string]: unknown;
}
const shown = (name = "unit") => calls.ok<Shown>("GET", `${path}/${encodeURIComponent(name)}?projectKey=shop`);
const remove = (name: string) => calls.ok("DELETE", `${path}?projectKey=shop&name=${encodeURIComponent(name)}`);

describe("a test", () => {
  test("is shown as it was sent, with its inputs, and can be sent back like that", async () => {
    await calls.ok("POST", path, sample);
    const { parameters, advanced_settings, repo_info, name, ...rest } = sample;
    const answer = await shown();
    expect(answer).toMatchObject({ ...rest, name, test_name: name, repo_info, advanced_settings, update_by: "admin" });
    expect(answer.inputs.map(({ key, has_value }) => [key, has_value])).toEqual([
      ["LEVEL", true],
      ["TOKEN", true],
      ["EMPTY", false],
    ]);
    expect(answer.parameters.map(({ value }) => value)).toEqual(["low", "********", ""]);
    await calls.ok("PUT", path, answer);
    expect({ ...(await shown()), update_time: 0 }).toEqual({ ...answer, update_time: 0 });
    const stored = await findTest("shop", "unit");
    expect(stored?.content.keyVals).toHaveLength(parameters.length);
    expect(stored && (await readCredentials(tests, stored))).toEqual(new Map([["TOKEN", "a-secret-value"]]));
    expect(JSON.stringify(await table().query({ pk: tests.key("shop", "unit").pk }))).not.toContain("a-secret-value");
  });

  test("needs no more than a name, a project, an image and a script", async () => {
    const least = { name: "least", project_key: "shop", build_os: "ubuntu 20.04", script: "true" };
    await calls.ok("POST", path, least);
    expect(await shown("least")).toMatchObject({
      ...{ ...least, script_type: "shell", pass_rate: 100, concurrency_limit: -1, repo_info: [], installs: [] },
      advanced_settings: { cluster_name: "local", timeout: 60 },
    });
    await remove("least");
  });

  test("has a name that is unique in its project, and free in others", async () => {
    const { status, json } = await calls.refused("POST", path, sample);
    expect([status, json.code, json.description]).toEqual([400, 6529, "a test with the name unit exists"]);
    await calls.ok("POST", path, { ...sample, project_key: "other" });
    await calls.ok("DELETE", `${path}?projectKey=other&name=unit`);
    expect((await shown()).name).toBe("unit");
  });

  test("cannot be called task, where a task is started", async () => {
    const { status, json } = await calls.refused("POST", path, { ...sample, name: "task" });
    expect([status, json.description]).toEqual([400, expect.stringContaining("reserved")]);
  });

  test.each([
    ["name", "a/b"],
    ["build_os", ""],
    ["script", ""],
    ["report_dir", "../outside"],
    ["archive_paths", ["/etc"]],
    ["pass_rate", 101],
    ["concurrency_limit", -2],
    ["infrastructure", "cloud"],
  ])("is refused with a sentence about %s when it is %j", async (field, value) => {
    const { status, json } = await calls.refused("POST", path, { ...sample, [field]: value });
    expect([status, json.code]).toEqual([400, 400]);
    expect(json.extra.problems?.every((problem) => problem.path.startsWith(field))).toBe(true);
  });

  test("names what it refers to and that does not exist, when it is created and when it is replaced", async () => {
    for (const [method, code] of [
      ["POST", 6529],
      ["PUT", 6530],
    ] as const) {
      const { json } = await calls.refused(method, path, { ...sample, build_os: "nothing" });
      expect([json.code, json.description]).toEqual([code, "build_os: base image nothing does not exist"]);
    }
  });

  test("that does not exist is 404, for reading and replacing, and no error for deleting", async () => {
    expect((await calls.refused("GET", `${path}/absent?projectKey=shop`)).status).toBe(404);
    expect((await calls.refused("PUT", path, { ...sample, name: "absent" })).status).toBe(404);
    await remove("absent");
  });

  test("holds what it refers to, and is held by workflows", async () => {
    const records = "/api/aslan/system/basicImages";
    const id = await idOf(calls, records, "label", "node 24");
    const { json } = await calls.refused("DELETE", `${records}/${id}`);
    expect(json.description).toContain("is used by test unit of project shop");
    await calls.ok("POST", path, { ...sample, name: "used" });
    const user = { kind: "workflow", projectKey: "shop", name: "release" } as const;
    await table().write(...startUse({ key: tests.key("shop", "used") }, user));
    const refusal = await calls.refused("DELETE", `${path}?projectKey=shop&name=used`);
    expect([refusal.json.code, refusal.json.description]).toEqual([6533, expect.stringContaining("workflow release")]);
  });

  test("is listed by name, with how many there are", async () => {
    const list = await calls.ok<{ total: number; tests: { name: string }[] }>("GET", `${path}?projectKey=shop`);
    expect([list.total, list.tests.map(({ name }) => name)]).toEqual([2, ["unit", "used"]]);
    expect(list.tests[0]).toMatchObject({ project_key: "shop", description: sample.description, update_by: "admin" });
    const second = await calls.ok<{ tests: { name: string }[] }>("GET", `${path}?projectKey=shop&pageNum=2&pageSize=1`);
    expect(second.tests.map(({ name }) => name)).toEqual(["used"]);
    expect((await calls.refused("GET", `${path}?projectKey=nowhere`)).status).toBe(404);
  });
});
