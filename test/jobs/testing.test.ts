import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findTestReport } from "../../shared/workflows/pods/store/testReports.ts";
import { jobOf } from "../../shared/workflows/records/currentState.ts";
import { findWholeTask } from "../../shared/workflows/records/findTasks.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { newPerson } from "../harness/people.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { makeWorkflow, type ShownTask, tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";
import cases from "../shared/workflows/pods/junit/cases/expected.json" with { type: "json" };

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

const jobsOf = ({ stages }: ShownTask) => stages.flatMap(({ jobs }) => jobs);
const stage = (name: string, ...jobs: object[]) => ({ name, jobs });
const testing = (spec: object, name = "check") => ({ name, type: "zadig-test", spec: { source: "runtime", ...spec } });
/** Leaves a report of one case that passed and one that failed. */
const halfPassing = [
  "mkdir -p reports",
  'echo \'<testsuite time="1.5"><testcase name="adds" time="1"/></testsuite>\' > reports/a.xml',
  'echo \'<testsuite><testcase name="divides" time="0.5"><failure message="by zero" type="Wrong">at 1</failure></testcase></testsuite>\' > reports/b.xml',
].join("\n");

async function makeTest(name: string, script: string, more: object = {}, method = "POST"): Promise<void> {
  const body = { name, project_key: "shop", build_os: "ubuntu 20.04", script, ...more };
  const { text } = await slipway.call(method, "/openapi/quality/testing", { body });
  expect(text).toBe('{"message":"success"}');
}

async function logOf(workflow: string, taskId: number, job: string): Promise<string> {
  return (await slipway.call("GET", `/openapi/logs/log/v4/workflow/${workflow}/${taskId}/${job}`)).text;
}

/** The record of a job's report. */
async function reportOf(workflow: string, taskId: number, job: string) {
  const owner = await findTaskOwner(workflow);
  const whole = await findWholeTask(owner?.id ?? "", taskId);
  const record = whole && jobOf(whole, job);
  return record && findTestReport(record);
}

async function run(workflow: string, spec: object): Promise<{ id: number; task: ShownTask }> {
  await makeWorkflow("shop", { name: workflow, stages: [stage("one", testing(spec))] });
  const id = await tasks.started(workflow, ["check"]);
  return { id, task: await tasks.end(workflow, id) };
}

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
  tasks = tasksOf(slipway, "shop");
  for (const project_key of ["shop", "other"])
    await slipway.call("POST", "/openapi/projects/project", {
      body: { project_name: project_key, project_key, project_type: "yaml" },
    });
});

afterAll(() => slipway?.close());

describe("a test job", () => {
  test("whose cases fail is failed and keeps its report, merged from all its files", async () => {
    await makeTest("half", `${halfPassing}\nexit 2`, { report_dir: "reports", pass_rate: 50 });
    const { id, task } = await run("half-run", { test_modules: [{ name: "half" }] });
    const [job] = jobsOf(task);
    expect(task.status).toBe("failed");
    expect(job).toMatchObject({
      ...{ key: "check.half", display_name: "check-half", name: "job-0-0-0-check", type: "zadig-test" },
      ...{ status: "failed", error: "step script ended with exit code 2" },
      job_info: { job_name: "check", testing_name: "half", test_type: "" },
    });
    expect(job?.spec).toMatchObject({
      ...{ repos: [], junit_report: true, archive: false, html_report: false },
      ...{ project_name: "shop", test_name: "half", test_type: "", service_name: "", service_module: "", envs: [] },
    });
    expect(await reportOf("half-run", id, "job-0-0-0-check")).toEqual({
      ...{ testCaseNum: 2, successCaseNum: 1, failedCaseNum: 1, errorCaseNum: 0, skipCaseNum: 0, testTime: 2 },
      testCases: [
        { name: "adds", time: 1, failure: null, error: null },
        { name: "divides", time: 0.5, failure: { message: "by zero", type: "Wrong", text: "at 1" }, error: null },
      ],
    });
  });

  test("that was started by itself shows its report though it failed", async () => {
    await makeTest("alone", `${halfPassing}\nexit 1`, { report_dir: "reports", pass_rate: 50 });
    const body = { project_key: "shop", test_name: "alone" };
    const { json: started } = await slipway.call<{ task_id: number }>("POST", "/openapi/quality/testing/task", {
      body,
    });
    const shown = await waitFor("the test to be over", async () => {
      const path = `/openapi/quality/testing/alone/task/${started.task_id}?projectKey=shop`;
      const { json } = await slipway.call<{ status: string; error: string; test_report: unknown }>("GET", path);
      return json.status === "failed" && json;
    });
    expect(shown.error).toBe("step script ended with exit code 1");
    expect(shown.test_report).toEqual({
      ...{ test_total: 2, success_total: 1, failure_total: 1, skiped_total: 0, error_total: 0, time: 2 },
      test_cases: [
        { name: "adds", time: 1, failure: null, error: null },
        { name: "divides", time: 0.5, failure: { message: "by zero", type: "Wrong", text: "at 1" }, error: null },
      ],
    });
  });

  test("passes where as many cases passed as must, and not where one more must", async () => {
    await makeTest("rate", halfPassing, { report_dir: "reports", pass_rate: 50 });
    await makeTest("strict", halfPassing, { report_dir: "reports", pass_rate: 51 });
    const { task } = await run("rate-run", { test_modules: [{ name: "rate" }, { name: "strict" }] });
    expect(jobsOf(task).map(({ name, status, error }) => [name, status, error])).toEqual([
      ["job-0-0-0-check", "passed", ""],
      ["job-0-0-1-check", "failed", "1 of 2 test cases failed: the pass rate of 50 % is below the required 51 %"],
    ]);
  });

  test("is judged by what its file says, in whatever encoding, and by no file that was cut off", async () => {
    const names = Object.keys(cases.files) as (keyof typeof cases.files)[];
    for (const [at, name] of names.entries()) {
      const bytes = readFileSync(new URL(`../shared/workflows/pods/junit/cases/${name}`, import.meta.url));
      const script = `mkdir reports; echo ${bytes.toString("base64")} | base64 -d > reports/a.xml`;
      await makeTest(`case-${at}`, script, { report_dir: "reports" });
    }
    for (const [at, name] of names.entries()) {
      const expected = cases.files[name];
      const body = { project_key: "shop", test_name: `case-${at}` };
      const { json } = await slipway.call<{ task_id: number }>("POST", "/openapi/quality/testing/task", { body });
      const shown = await waitFor(`the test of ${name} to be over`, async () => {
        const path = `/openapi/quality/testing/case-${at}/task/${json.task_id}?projectKey=shop`;
        const answer = await slipway.call<{ status: string; error: string; test_report: unknown }>("GET", path);
        return ["passed", "failed"].includes(answer.json.status) && answer.json;
      });
      expect([name, shown.status]).toEqual([name, expected.passes ? "passed" : "failed"]);
      if (expected.cases === null) {
        expect(shown.error).toMatch(/^the test report cannot be read: a.xml is not JUnit XML: /);
        expect(shown.test_report).toBeNull();
      } else
        expect(shown.test_report).toMatchObject({
          ...{ test_total: expected.cases, failure_total: expected.failures },
          ...{ error_total: expected.errors, skiped_total: expected.skipped },
        });
    }
  });

  test("shows no credential, however its script encodes it", async () => {
    const parameters = [
      { key: "LOGIN", type: "string", is_credential: true, default_value: 'p@ss/w"rd é?' },
      { key: "PIN", type: "string", is_credential: true, default_value: "ab" },
    ];
    const script = [
      'for before in "" a: ada:; do printf %s "$before$LOGIN" | base64 -w 0; echo; done',
      "printf '%s' \"$LOGIN\" | sed 's/\"/\\\\\"/'; echo",
      "echo 'https://ada:p%40ss%2Fw%22rd%20%C3%A9%3F@example.com'",
      'echo "cabbage $PIN pin=$PIN; $(printf %s "$PIN" | base64)"',
    ].join("\n");
    await makeTest("encoding", script, { parameters });
    const { id, task } = await run("encoding-run", { test_modules: [{ name: "encoding" }] });
    expect(task.status).toBe("passed");
    const lines = (await logOf("encoding-run", id, "check")).trimEnd().split("\n");
    expect(lines.slice(0, 3).map((line) => line.replace(/^.{0,6}(\*{6}).{0,3}$/, "$1"))).toEqual(
      Array.from({ length: 3 }, () => "******"),
    );
    expect(lines.slice(3)).toEqual(["******", "https://ada:******@example.com", "cabbage ****** pin=******; ******"]);
  });

  test("finds its reports where a script would say $WORKSPACE", async () => {
    for (const [name, report_dir] of [
      ["whole", "$WORKSPACE"],
      ["below", `\${WORKSPACE}/reports`],
    ] as const)
      await makeTest(name, `${halfPassing}\ncp reports/* .`, { report_dir, pass_rate: 50 });
    const { task } = await run("below-run", { test_modules: [{ name: "whole" }, { name: "below" }] });
    expect(jobsOf(task).map(({ status, error }) => [status, error])).toEqual([
      ["passed", ""],
      ["passed", ""],
    ]);
    const shown = await slipway.call("GET", "/openapi/quality/testing/below?projectKey=shop");
    expect(shown.json).toMatchObject({ report_dir: `\${WORKSPACE}/reports` });
  });

  test("without any case fails, and without a directory of reports is judged by its exit code", async () => {
    await makeTest("empty", "mkdir reports", { report_dir: "reports", pass_rate: 0 });
    await makeTest("plain", "true");
    const { id, task } = await run("empty-run", { test_modules: [{ name: "plain" }, { name: "empty" }] });
    expect(jobsOf(task).map(({ status, error, spec }) => [status, error, spec.junit_report])).toEqual([
      ["passed", "", false],
      ["failed", "the test report holds no test case", true],
    ]);
    expect(await reportOf("empty-run", id, "job-0-0-1-check")).toBeUndefined();
  });

  test("has its variables, takes values of the start call, and leaves outputs and variables to later jobs", async () => {
    const parameters = [
      { key: "BROWSER", type: "string", default_value: "none" },
      { key: "LOGIN", type: "string", is_credential: true, default_value: "s3cret-login" },
    ];
    const script = 'echo "$TESTING_PROJECT/$TESTING_NAME/$TESTING_TYPE in $BROWSER as $LOGIN"; FOUND=$BROWSER-7';
    const advanced_settings = { timeout: 10, outputs: ["FOUND"] };
    await makeTest("browse", script, { parameters, advanced_settings });
    const after = {
      ...{ name: "after", type: "freestyle" },
      spec: { script: "echo {{.job.check.browse.output.FOUND}} {{.job.check.browse.BROWSER}}" },
    };
    const stages = [
      stage("one", testing({ test_modules: [], test_module_options: [{ name: "browse" }] })),
      stage("two", after),
    ];
    await makeWorkflow("shop", { name: "browsing", stages });
    const listed = {
      testing_name: "browse",
      inputs: [
        { key: "BROWSER", value: "firefox" },
        { key: "NONE", value: "x" },
      ],
    };
    const id = await tasks.started("browsing", [], {
      inputs: [
        { job_name: "check", parameters: { testing_list: [listed] } },
        { job_name: "after", parameters: {} },
      ],
    });
    const task = await tasks.end("browsing", id);
    expect(jobsOf(task).map(({ status, error }) => [status, error])).toEqual([
      ["passed", ""],
      ["passed", ""],
    ]);
    expect(await logOf("browsing", id, "check")).toBe("shop/browse/function in firefox as ******\n");
    expect(await logOf("browsing", id, "after")).toBe("firefox-7 firefox\n");
    expect(jobsOf(task)[0]?.spec.envs).toMatchObject([
      { key: "BROWSER", value: "firefox" },
      { key: "LOGIN", value: "********" },
    ]);
    const unknown = await tasks.start("browsing", [], {
      inputs: [{ job_name: "check", parameters: { testing_list: [{ testing_name: "nothing" }] } }],
    });
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining("nothing is not in the job")]);
  });

  test("of services runs once for each module of the job that it takes them from", async () => {
    await makeTest("service", 'echo "$SERVICE/$SERVICE_NAME/$SERVICE_MODULE with $LEVEL"', {
      parameters: [{ key: "LEVEL", type: "string", default_value: "low" }],
    });
    const modules = ["web", "api"].map((service_module) => ({ service_name: "shop", service_module }));
    const before = {
      ...{ name: "each", type: "freestyle" },
      spec: { freestyle_type: "service_freestyle", script: "true", services: modules },
    };
    const own = { name: "service", key_vals: [{ key: "LEVEL", value: "{{.job.each.<SERVICE>.<MODULE>.status}}" }] };
    const job = testing({
      ...{ test_type: "service_test", source: "fromjob", job_name: "each" },
      service_and_tests: modules.map((module) => ({ ...module, ...own })),
    });
    await makeWorkflow("shop", { name: "served", stages: [stage("one", before), stage("two", job)] });
    const all = await tasks.started("served", ["each", "check"]);
    const task = await tasks.end("served", all);
    expect(jobsOf(task).filter(({ type }) => type === "zadig-test")).toMatchObject([
      { key: "check.shop.web", status: "passed", spec: { service_module: "web", test_type: "service_test" } },
      { key: "check.shop.api", status: "passed", spec: { service_module: "api" } },
    ]);
    expect(await logOf("served", all, "check.shop.api")).toBe("shop/shop/api with passed\n");
    const chosen = { service_name: "shop", service_module: "api", inputs: [{ key: "LEVEL", value: "high" }] };
    const starting = (service: object) =>
      tasks.start("served", [], {
        inputs: [
          { job_name: "each", parameters: {} },
          { job_name: "check", parameters: { service_list: [service] } },
        ],
      });
    const one = await starting(chosen);
    const selected = await tasks.end("served", one.json.task_id);
    expect(jobsOf(selected).map((shown) => shown.name)).toEqual([
      "job-0-0-0-each",
      "job-0-0-1-each",
      "job-1-0-0-check",
    ]);
    expect(await logOf("served", one.json.task_id, "check.shop.api")).toBe("shop/shop/api with high\n");
    const wrong = await starting({ service_name: "shop", service_module: "none" });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("shop/none is not in job each")]);
  });

  test("runs the test of now when its task is retried, and its report is that of the retry", async () => {
    await makeTest("fixed", `${halfPassing}\nexit 1`, { report_dir: "reports", pass_rate: 50 });
    const { id } = await run("fixed-run", { test_modules: [{ name: "fixed" }] });
    const script = "mkdir r; echo '<testsuite><testcase name=\"only\"/></testsuite>' > r/a.xml";
    await makeTest("fixed", script, { report_dir: "r", pass_rate: 100 }, "PUT");
    expect((await tasks.retry("fixed-run", id)).status).toBe(200);
    await tasks.until("fixed-run", id, "running again", ({ status }) => status !== "failed");
    const task = await tasks.end("fixed-run", id);
    expect([task.status, jobsOf(task)[0]?.error]).toEqual(["passed", ""]);
    expect((await reportOf("fixed-run", id, "job-0-0-0-check"))?.testCases.map(({ name }) => name)).toEqual(["only"]);
  });

  test("of another project runs for those alone who may run it there, and of none is refused", async () => {
    const body = { name: "theirs", project_key: "other", build_os: "ubuntu 20.04", script: "echo $TESTING_PROJECT" };
    expect((await slipway.call("POST", "/openapi/quality/testing", { body })).status).toBe(200);
    const spec = { test_modules: [{ name: "theirs", project_name: "other" }] };
    await makeWorkflow("shop", { name: "theirs-run", stages: [stage("one", testing(spec))] });
    await makeWorkflow("shop", { name: "gone", stages: [stage("one", testing({ test_modules: [{ name: "none" }] }))] });
    const { token: ann } = await newPerson("ann", [{ namespace: "shop", roles: { runner: ["run_workflow"] } }]);
    const start = (token?: string) =>
      slipway.call<{ task_id: number }>("POST", "/openapi/workflows/custom/task", {
        body: { workflow_key: "theirs-run", project_key: "shop", inputs: [{ job_name: "check", parameters: {} }] },
        ...(token !== undefined && { token }),
      });
    const refused = await start(ann);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining("it needs run_test in project other"),
    ]);
    const { json } = await start();
    await tasks.end("theirs-run", json.task_id);
    expect(await logOf("theirs-run", json.task_id, "check")).toBe("other\n");
    const gone = await tasks.start("gone", ["check"]);
    expect([gone.status, gone.text]).toEqual([
      400,
      expect.stringContaining("test none does not exist in project shop"),
    ]);
  });

  test.skipIf(!hasCurl)("keeps its html report and its archives, after a failure too", async () => {
    const script = "mkdir -p html out; printf page > html/index.html; printf data > out/data.txt; exit 5";
    await makeTest("files", script, {
      html_report_path: "html/index.html",
      archive_paths: ["out/data.txt", "nothing"],
    });
    const { id, task } = await run("files-run", { test_modules: [{ name: "files" }] });
    expect(jobsOf(task)[0]).toMatchObject({
      ...{ status: "failed", error: "step script ended with exit code 5" },
      spec: { junit_report: false, archive: true, html_report: true },
    });
    const path = `/openapi/logs/files/v4/workflow/files-run/${id}/check`;
    const { json } = await slipway.call<{ files: { url: string }[] }>("GET", path);
    const contents = json.files.map(async ({ url, ...file }) => [file, await (await fetch(url)).text()]);
    const expires_at = expect.any(Number);
    expect(await Promise.all(contents)).toEqual([
      [{ name: "archive/out/data.txt", size_bytes: 4, expires_at }, "data"],
      [{ name: "html/html/index.html", size_bytes: 4, expires_at }, "page"],
    ]);
    expect((await slipway.call("GET", path.replace("/check", "/none"))).status).toBe(404);
  });
});
