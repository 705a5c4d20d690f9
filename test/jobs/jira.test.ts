import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startJiraServer } from "../harness/jiraServer.ts";
import type { Slipway } from "../harness/slipway.ts";
import { makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const token = "token-of-jira-4711";
const personal = "personal-token-4711";
const open = (summary: string) => ({ summary, status: "Open" });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let jira: Awaited<ReturnType<typeof startJiraServer>>;
let cloud: Awaited<ReturnType<typeof startJiraServer>>;
let ids: Record<"right" | "wrong" | "personal", string>;

const job = (name: string, spec: object) => ({
  name,
  type: "jira",
  spec: { jira_id: ids.right, project_id: "SHOP", ...spec },
});
const issuesOf = (...keys: string[]) => keys.map((key) => ({ key, name: "" }));
const jobsOf = ({ stages }: ShownTask) => stages.flatMap(({ jobs }) => jobs);
const logOf = async (workflow: string, taskId: number, name: string) =>
  (await slipway.call("GET", `/openapi/logs/log/v4/workflow/${workflow}/${taskId}/${name}`)).text;

async function started(workflow: string, ...jobs: { name: string }[]): Promise<number> {
  await makeWorkflow("shop", { name: workflow, stages: [{ name: "one", parallel: true, jobs }] });
  return tasks.started(
    workflow,
    jobs.map(({ name }) => name),
  );
}

beforeAll(async () => {
  const basic = `Basic ${Buffer.from(`ci@example.com:${token}`).toString("base64")}`;
  const issues = { "SHOP-1": open("one"), "SHOP-2": { summary: "two", status: "Done" }, "SHOP-3": open("screened") };
  const later = { "SHOP-4": open("four"), "SHOP-5": open("five"), "SHOP-6": open("six"), "SHOP-7": open("seven") };
  jira = await startJiraServer([basic], { ...issues, ...later });
  cloud = await startJiraServer(
    [`Bearer ${personal}`],
    { "OPS-1": { summary: "a", status: "In Progress" }, "OPS-2": open("b") },
    { cloud: true },
  );
  ({ slipway, tasks } = await startShop({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } }));
  const add = async (system_identity: string, more: object) => {
    const body = {
      type: "jira",
      system_identity,
      jira_host: jira.url,
      jira_user: "ci@example.com",
      jira_token: token,
      ...more,
    };
    const { json, text } = await slipway.call<{ id: string }>("POST", "/api/aslan/system/project_management", { body });
    expect(text).toContain("success");
    return json.id;
  };
  ids = {
    right: await add("right", {}),
    wrong: await add("wrong", { jira_token: "another" }),
    personal: await add("personal", {
      ...{ jira_host: cloud.url, jira_auth_type: "personal_access_token", jira_personal_access_token: personal },
    }),
  };
});

afterAll(async () => {
  await slipway?.close();
  await Promise.all([jira?.close(), cloud?.close()]);
});

test("issues are moved by the transition that leads to their status; those that are there stay", async () => {
  const issues = [...issuesOf("SHOP-1", "SHOP-2"), { key: "SHOP-4", target_status: "In Progress" }];
  const id = await started("moves", job("jira", { issues, target_status: "done" }));
  const [one] = jobsOf(await tasks.end("moves", id, 60));
  const link = (key: string) => `${jira.url}/browse/${key}`;
  expect(one).toMatchObject({
    ...{ status: "passed", error: "" },
    spec: {
      ...{ jira_id: ids.right, project_id: "SHOP", target_status: "done" },
      issues: [
        {
          key: "SHOP-1",
          name: "one",
          current_status: "Open",
          target_status: "done",
          status: "passed",
          link: link("SHOP-1"),
        },
        { key: "SHOP-2", name: "two", current_status: "Done", status: "passed", link: link("SHOP-2") },
        { key: "SHOP-4", current_status: "Open", target_status: "In Progress", status: "passed" },
      ],
    },
  });
  expect(jira.moved).toEqual(["SHOP-1 Done", "SHOP-4 In Progress"]);
  const log = await logOf("moves", id, "jira");
  expect(log).toBe("SHOP-1 was Open, and is done\nSHOP-2 is Done already\nSHOP-4 was Open, and is In Progress\n");
  expect(`${log}${JSON.stringify(one)}`).not.toContain(token);
});

test("issues are found by a query, at Jira's cloud too", async () => {
  const query = {
    jira_id: ids.personal,
    query_type: "advanced",
    jql: 'status = "In Progress"',
    target_status: "Done",
    issues: [],
  };
  const id = await started("queries", job("jira", query));
  const [one] = jobsOf(await tasks.end("queries", id, 60));
  expect(one).toMatchObject({ status: "passed", spec: { issues: [{ key: "OPS-1", status: "passed" }] } });
  expect(cloud.moved).toEqual(["OPS-1 Done"]);
});

test("issues that cannot be moved fail the job, after the others", async () => {
  const query = { query_type: "advanced", jql: "project in (SHOP", target_status: "Done" };
  const id = await started(
    "refused",
    job("mixed", { issues: issuesOf("SHOP-99", "SHOP-2", "SHOP-3", "SHOP-5"), target_status: "Done" }),
    job("nowhere", { issues: issuesOf("SHOP-2"), target_status: "Open" }),
    job("wrong", { jira_id: ids.wrong, issues: issuesOf("SHOP-6"), target_status: "Done" }),
    job("query", query),
  );
  const all = jobsOf(await tasks.end("refused", id, 60));
  expect(all.map(({ status, error }) => [status, error])).toEqual([
    [
      "failed",
      "Jira does not know issue SHOP-99; Jira does not move issue SHOP-3 to Done: resolution: Resolution is required.",
    ],
    ["failed", "no transition leads issue SHOP-2 from Done to Open; it can go to nowhere"],
    ["failed", "Jira does not accept the credentials of the integration"],
    ["failed", "Jira does not take the query project in (SHOP: Error in the JQL Query: Expecting ')'"],
  ]);
  expect(all[0]?.spec.issues).toMatchObject(["failed", "passed", "failed", "passed"].map((status) => ({ status })));
});

test("a cancel leaves what was not moved yet; a retry moves it", async () => {
  jira.faults.slowMilliseconds = 700;
  const id = await started("slow", job("jira", { issues: issuesOf("SHOP-6", "SHOP-7"), target_status: "Done" }));
  await waitFor("the first issue", async () => jira.asked.some((path) => path.includes("SHOP-6")), 30);
  await tasks.cancel("slow", id);
  const task = await tasks.end("slow", id, 60);
  expect([task.status, jobsOf(task)[0]?.status]).toEqual(["cancelled", "cancelled"]);
  jira.faults.slowMilliseconds = undefined;
  expect(jira.moved).not.toContain("SHOP-7 Done");
  expect((await tasks.retry("slow", id)).status).toBe(200);
  await tasks.until("slow", id, "running again", ({ status }) => status !== "cancelled");
  expect((await tasks.end("slow", id, 60)).status).toBe("passed");
  expect(jira.moved.filter((one) => /SHOP-[67]/.test(one))).toEqual(["SHOP-6 Done", "SHOP-7 Done"]);
});

test("a Jira that does not answer for a moment is asked again", async () => {
  jira.faults.status = 502;
  const id = await started("shaky", job("jira", { issues: issuesOf("SHOP-2"), target_status: "Done" }));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  jira.faults.status = undefined;
  expect((await tasks.end("shaky", id, 60)).status).toBe("passed");
});

test.each([
  [{ target_status: "Done" }, "job jira names no issue: set issues, or query_type to advanced and jql"],
  [{ issues: [{ key: "SHOP-1" }] }, "job jira says no status for issue SHOP-1: set target_status"],
  [
    { issues: [{ key: "SHOP-1" }], target_status: "Done", field_mappings: [{ field: "x" }] },
    "field_mappings must be empty",
  ],
])("a start that cannot work is refused: %j", async (spec, words) => {
  const name = `not-${words.length}`;
  await makeWorkflow("shop", { name, stages: [{ name: "one", jobs: [job("jira", spec)] }] });
  const { status, text } = await tasks.start(name, ["jira"]);
  expect([status, text]).toEqual([400, expect.stringContaining(words)]);
});
