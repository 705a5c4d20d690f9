import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { table } from "../../shared/base/store/table.ts";
import { findJob } from "../../shared/workflows/records/findTasks.ts";
import { changeJob } from "../../shared/workflows/records/records.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { type JenkinsStandIn, startJenkinsServer } from "../harness/jenkinsServer.ts";
import type { Slipway } from "../harness/slipway.ts";
import { makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const login = { username: "ci", password: "11aa22bb33cc44dd" };
const credential = "s3cret-of-the-start";
const path = "/api/aslan/system/cicdTools";

/** More than a record of a job holds. */
const chattyPieces = [
  "first\n",
  ...Array.from({ length: 3 }, (_, at) => `${at} ${"x".repeat(80)}\n`.repeat(1500)),
  "last\n",
];

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let jenkins: JenkinsStandIn;
let ids: Record<"right" | "wrong" | "foreign", string>;

const job = (name: string, jobs: object[], more: object = {}) => ({
  ...{ name, type: "jenkins", spec: { id: ids.right, jobs, job_options: [] } },
  ...more,
});
const jobsOf = ({ stages }: ShownTask) => stages.flatMap(({ jobs }) => jobs);
const logOf = async (workflow: string, taskId: number, name: string) =>
  (await slipway.call("GET", `/openapi/logs/log/v4/workflow/${workflow}/${taskId}/${name}`)).text;

/** One task of a workflow of one job, to its end. */
async function ran(workflow: string, jobs: object[], more: object = {}) {
  await makeWorkflow("shop", {
    name: workflow,
    stages: [{ name: "one", parallel: true, jobs: [job("ci", jobs, more)] }],
  });
  const id = await tasks.started(workflow, ["ci"]);
  return { id, task: await tasks.end(workflow, id, 60) };
}

beforeAll(async () => {
  const steady = { console: ["Started\nbuil", "ding\nFinished\n"], result: "SUCCESS" };
  jenkins = await startJenkinsServer(login, {
    deploy: {
      parameters: ["VERSION", "TOKEN"],
      queueLooks: 1,
      console: [
        "Started by user ci\n",
        `using ${credential} and ${login.password}\nhalf`,
        " a line\nFinished: SUCCESS\n",
      ],
      result: "SUCCESS",
    },
    plain: steady,
    "team/nightly build": { ...steady, forgetsItem: true },
    broken: { ...steady, result: "FAILURE" },
    shaky: { ...steady, result: "UNSTABLE" },
    off: { ...steady, disabled: true },
    crash: { ...steady, startStatus: 500 },
    slow: { ...steady, runsUntilStopped: true },
    stuck: { ...steady, queueLooks: Number.POSITIVE_INFINITY },
    patient: { ...steady, queueLooks: 1 },
    chatty: { console: chattyPieces, result: "SUCCESS" },
  });
  ({ slipway, tasks } = await startShop({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } }));
  const add = async (name: string, more: object) => {
    const body = { type: "jenkins", name, url: jenkins.url, ...login, ...more };
    const { json, text } = await slipway.call<{ id: string }>("POST", path, { body });
    expect(text).toContain("success");
    return json.id;
  };
  ids = {
    right: await add("right", {}),
    wrong: await add("wrong", { password: "another" }),
    foreign: await add("foreign", { projects: ["another"] }),
  };
});

afterAll(async () => {
  await slipway?.close();
  await jenkins?.close();
});

test("builds each job with its parameters, follows it, and gives its log and outputs to later jobs", async () => {
  const params = [
    { name: "version", type: "string", value: "1.2" },
    { name: "token", type: "string", value: credential, is_credential: true },
  ];
  const parameters = [
    { name: "VERSION", type: "string", value: "{{.workflow.params.version}}-rc" },
    { name: "TOKEN", type: "string", value: "{{.workflow.params.token}}" },
  ];
  const after = {
    name: "after",
    type: "freestyle",
    spec: { script: "echo {{.job.ci.output.BUILD_NUMBER}} {{.job.ci.deploy.output.RESULT}}" },
  };
  const stages = [
    { name: "one", jobs: [job("ci", [{ job_name: "deploy", parameters }])] },
    {
      name: "two",
      parallel: true,
      jobs: [after, job("more", [{ job_name: "plain" }, { job_name: "team/nightly build" }])],
    },
  ];
  const body = { name: "whole", display_name: "whole", project: "shop", params, stages };
  await makeWorkflow("shop", body);
  const id = await tasks.started("whole", ["ci", "after", "more"], {
    parameters: [{ name: "token", type: "string", value: credential }],
  });
  const task = await tasks.end("whole", id, 60);
  expect(jobsOf(task).map(({ status, error }) => [status, error])).toEqual(Array(4).fill(["passed", ""]));
  expect(jenkins.builds.find((build) => build.job === "deploy")?.parameters).toEqual({
    VERSION: "1.2-rc",
    TOKEN: credential,
  });
  const [ci, , plain, nightly] = jobsOf(task);
  expect(ci).toMatchObject({
    key: "ci.deploy",
    spec: {
      ...{ id: ids.right, host: jenkins.url },
      job: {
        ...{ job_name: "deploy", job_id: 1 },
        job_output: expect.stringContaining("half a line\nFinished: SUCCESS\n"),
        parameters: [
          { name: "VERSION", value: "1.2-rc" },
          { name: "TOKEN", value: "********" },
        ],
      },
    },
  });
  expect(plain?.spec).toMatchObject({ job: { job_id: 1, job_output: "Started\nbuilding\nFinished\n" } });
  expect(nightly).toMatchObject({ key: "more.team/nightly build", spec: { job: { job_id: 1 } } });
  const log = await logOf("whole", id, "ci.deploy");
  expect(log).toContain("build 1 of job deploy has begun\nStarted by user ci\nusing ****** and ******\nhalf a line\n");
  expect(`${log}${JSON.stringify(task)}`).not.toMatch(new RegExp(`${credential}|${login.password}`));
  expect(await logOf("whole", id, "after")).toBe("1 SUCCESS\n");
});

test("fails in words for whatever Jenkins says no to", async () => {
  const wrong = job("wrong", [{ job_name: "plain" }]);
  const stage = {
    ...{ name: "one", parallel: true },
    jobs: [
      job("broken", [{ job_name: "broken" }]),
      job("shaky", [{ job_name: "shaky" }]),
      job("off", [{ job_name: "off" }]),
      job("crash", [{ job_name: "crash" }]),
      job("missing", [{ job_name: "team/missing" }]),
      job("unknown", [{ job_name: "deploy", parameters: [{ name: "VERSON", value: "1" }] }]),
      { ...wrong, spec: { ...wrong.spec, id: ids.wrong } },
    ],
  };
  await makeWorkflow("shop", { name: "refused", stages: [stage] });
  const id = await tasks.started(
    "refused",
    stage.jobs.map(({ name }) => name),
  );
  const task = await tasks.end("refused", id, 60);
  expect(jobsOf(task).map(({ status, error }) => [status, error])).toEqual([
    ["failed", "build 1 of job broken ended with FAILURE"],
    ["failed", "build 1 of job shaky ended with UNSTABLE"],
    ["failed", "job off of Jenkins is disabled"],
    [
      "failed",
      "Jenkins answers with status 500; it is not known whether Jenkins has begun to build job crash: look there before the job is run again",
    ],
    ["failed", "Jenkins does not know job team/missing"],
    ["failed", "job deploy of Jenkins has no parameter VERSON; it has VERSION, TOKEN"],
    ["failed", "Jenkins does not accept the credentials of the integration"],
  ]);
  expect(await logOf("refused", id, "broken.broken")).toContain("Finished\nbuild 1 of job broken ended with FAILURE\n");
});

test.each([
  ["slow", "build 1 was stopped\n"],
  ["stuck", "was taken out of the queue of Jenkins\n"],
])("a cancel stops a build that is %s", async (name, said) => {
  await makeWorkflow("shop", { name, stages: [{ name: "one", jobs: [job("ci", [{ job_name: name }])] }] });
  const id = await tasks.started(name, ["ci"]);
  await waitFor("the start", async () => jenkins.started.includes(name), 30);
  await tasks.cancel(name, id);
  const task = await tasks.end(name, id, 30);
  expect([task.status, jobsOf(task)[0]?.status]).toEqual(["cancelled", "cancelled"]);
  expect(await logOf(name, id, `ci.${name}`)).toContain(said);
  expect(jenkins.builds.filter((build) => build.job === name && !build.stopped)).toEqual([]);
  expect(jenkins.cancelled.length).toBe(name === "stuck" ? 1 : 0);
});

test("a retry builds again, by the error policy and by a user", async () => {
  const { id, task } = await ran("again", [{ job_name: "broken" }], {
    error_policy: { policy: "retry", maximum_retry: 1 },
  });
  const before = jenkins.builds.filter((build) => build.job === "broken").length;
  expect(jobsOf(task)[0]).toMatchObject({
    status: "failed",
    error: `build ${before} of job broken ended with FAILURE`,
  });
  expect((await tasks.retry("again", id)).status).toBe(200);
  await tasks.until("again", id, "running again", ({ status }) => status !== "failed");
  const retried = await tasks.end("again", id, 60);
  expect(jobsOf(retried)[0]?.error).toBe(`build ${before + 2} of job broken ended with FAILURE`);
});

test("a server that does not answer for a moment is asked again, and nothing is built twice", async () => {
  await makeWorkflow("shop", {
    name: "patient",
    stages: [{ name: "one", jobs: [job("ci", [{ job_name: "patient" }])] }],
  });
  const id = await tasks.started("patient", ["ci"]);
  jenkins.fault.status = 503;
  await new Promise((resolve) => setTimeout(resolve, 3000));
  jenkins.fault.status = undefined;
  const task = await tasks.end("patient", id, 60);
  expect(jobsOf(task)[0]).toMatchObject({ status: "passed", error: "" });
  expect(jenkins.builds.filter((build) => build.job === "patient").length).toBe(1);
});

test("a log that a record cannot hold is whole when the build has ended", async () => {
  const { id, task } = await ran("chatty", [{ job_name: "chatty" }]);
  expect(jobsOf(task)[0]?.status).toBe("passed");
  const [, text = ""] = (await logOf("chatty", id, "ci.chatty")).split("has begun\n");
  expect(text).toBe(chattyPieces.join(""));
});

test("a build whose answer was lost is not asked for again, and a retry asks", async () => {
  const jobs = [{ job_name: "plain" }];
  await makeWorkflow("shop", { name: "lost", stages: [{ name: "one", jobs: [job("ci", jobs)] }] });
  jenkins.fault.status = 503;
  const before = jenkins.started.length;
  const id = await tasks.started("lost", ["ci"]);
  const owner = await waitFor("the task", async () => findTaskOwner("lost"), 10);
  const record = await waitFor(
    "the first look",
    async () => {
      const found = await findJob(owner.id, id, "job-0-0-0-ci");
      return found?.outside !== undefined && found;
    },
    30,
  );
  await table().write(
    changeJob({ owner, taskId: id }, record, { set: { outside: { ...record.outside, asked: true } } }),
  );
  jenkins.fault.status = undefined;
  const [ci] = jobsOf(await tasks.end("lost", id, 60));
  const words = "it is not known whether Jenkins has begun to build job plain: look there before the job is run again";
  expect([ci?.status, ci?.error, jenkins.started.length]).toEqual(["failed", words, before]);
  await tasks.retry("lost", id);
  await tasks.until("lost", id, "running again", ({ status }) => status !== "failed");
  expect([(await tasks.end("lost", id, 60)).status, jenkins.started.length]).toEqual(["passed", before + 1]);
});

test("a server that is not for the project is refused when the workflow is saved, and at a start", async () => {
  const foreign = job("ci", [{ job_name: "plain" }]);
  const stages = [{ name: "one", jobs: [{ ...foreign, spec: { ...foreign.spec, id: ids.foreign } }] }];
  const body = {
    workflow_key: "foreign",
    workflow_name: "foreign",
    project_key: "shop",
    name: "foreign",
    project: "shop",
    stages,
  };
  const saved = await slipway.call("POST", "/api/aslan/workflow/v4", { body });
  expect([saved.status, saved.text]).toEqual([
    400,
    expect.stringContaining("stages[0].jobs[0].spec.id: is not for project shop"),
  ]);
  await makeWorkflow("shop", { name: "foreign", stages });
  const { status, json } = await tasks.start("foreign", ["ci"]);
  expect([status, json]).toEqual([
    400,
    expect.objectContaining({
      code: 6160,
      description: expect.stringContaining("Jenkins server foreign is not for project shop"),
    }),
  ]);
});

test("a server that a workflow names is not deleted", async () => {
  const stages = [{ name: "one", jobs: [job("ci", [{ job_name: "plain" }])] }];
  const body = { name: "held", display_name: "held", project: "shop", stages };
  expect((await slipway.call("POST", "/api/aslan/workflow/v4", { body })).status).toBe(200);
  const { json } = await slipway.call("DELETE", `${path}/${ids.right}`);
  expect(json).toMatchObject({ description: expect.stringContaining("used by workflow held of project shop") });
});
