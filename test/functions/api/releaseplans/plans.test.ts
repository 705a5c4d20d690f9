import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPerson, type Person } from "../../../harness/people.ts";
import {
  approvalBy,
  givenPlans,
  planBody,
  type ReleasePlans,
  type ShownPlan,
  textJob,
  workflowJob,
} from "../../../harness/releasePlans.ts";

let plans: ReleasePlans;
let lee: Person;
let stranger: Person;

beforeAll(async () => {
  plans = await givenPlans();
  lee = plans.lee;
  stranger = await newPerson("stranger");
});
afterAll(() => plans.slipway.close());

const open = "/openapi/release_plan/v1";
const consolePath = "/api/aslan/release_plan/v1";

describe("a release plan", () => {
  test("is created as a draft, found again in full, and listed by its number", async () => {
    const id = await plans.make({ name: "may", description: "R-17", start_time: 5, end_time: 9 });
    const plan = await plans.read(id);
    expect(plan).toMatchObject({
      ...{ id, name: "may", manager: "lee", manager_id: lee.uid, description: "R-17", status: "planning", version: 1 },
      ...{ start_time: 5, end_time: 9, schedule_execute_time: 0, jobs: [], created_by: "admin" },
      ...{ planning_time: 0, finish_planning_time: 0, approval_time: 0, executing_time: 0, success_time: 0 },
    });
    expect(plan).not.toHaveProperty("approval");
    expect(plan.instance_code).toMatch(/^[0-9a-f]{16}$/);
    const second = await plans.make({ name: "june" });
    const { list, total } = await plans.ok<{ list: ShownPlan[]; total: number }>("GET", open);
    expect(total).toBe(list.length);
    expect(list[0]).toEqual({
      ...{ id: second, index: plan.index + 1, name: "june", manager: "lee", description: "", created_by: "admin" },
      ...{ create_time: expect.any(Number), status: "planning" },
    });
  });

  test("is read by anybody who has a token; an unknown one is 404", async () => {
    const id = await plans.make();
    for (const path of [open, `${open}/${id}`])
      expect((await plans.slipway.call("GET", path, { token: stranger.token })).status).toBe(200);
    expect((await plans.refused("GET", `${open}/${"f".repeat(24)}`)).status).toBe(404);
    const refused = await plans.slipway.call("GET", `${consolePath}/${id}`, { token: stranger.token });
    expect(refused.status).toBe(403);
  });

  test("is replaced as a whole: what is left out becomes empty, jobs keep their ids by type and name", async () => {
    const approval = approvalBy(lee.uid);
    const id = await plans.make({ description: "R-17", approval });
    await plans.replace(id, { approval, jobs: [textJob("tell"), workflowJob("ship"), textJob("tell")] });
    const first = await plans.read(id);
    expect(first).toMatchObject({ version: 2, description: "", approval: { enabled: true, type: "native" } });
    expect(first.jobs.map(({ name, type, status }) => [name, type, status])).toEqual([
      ["tell", "text", ""],
      ["ship", "workflow", ""],
      ["tell", "text", ""],
    ]);
    await plans.replace(id, { name: "july", jobs: [textJob("tell", "now"), textJob("new"), textJob("tell")] });
    const second = await plans.read(id);
    expect(second).not.toHaveProperty("approval");
    expect(second.jobs.map(({ id: jobId }) => jobId)).toEqual([
      first.jobs[0]?.id,
      expect.not.stringMatching(first.jobs[1]?.id ?? ""),
      first.jobs[2]?.id,
    ]);
    expect(second.jobs[0]?.spec).toEqual({ content: "now", remark: "" });
    expect(second).toMatchObject({ name: "july", version: 3 });
  });

  test("shows what its workflow jobs run to whoever may read the workflow, and credentials to nobody", async () => {
    const id = await plans.make();
    const parameters = [
      { name: "mode", type: "choice", value: "full" },
      { name: "password", type: "string", value: "hunter2-of-the-plan" },
    ];
    await plans.replace(id, { jobs: [workflowJob("ship", { parameters, remark: "R-17" })] });
    const { text } = await plans.slipway.call("GET", `${open}/${id}`);
    expect(text).not.toContain("hunter2");
    const [job] = (JSON.parse(text) as ShownPlan).jobs;
    expect(job?.spec).toMatchObject({ remark: "R-17", workflow: { name: "ship", project: "shop" } });
    expect(job?.spec.workflow).toMatchObject({
      params: [
        { name: "mode", value: "full" },
        { name: "password", value: "********" },
      ],
      stages: [{ jobs: [{ name: "gate", skipped: false }] }],
    });
    const hidden = await plans.slipway.call<ShownPlan>("GET", `${open}/${id}`, { token: stranger.token });
    expect(hidden.json.jobs[0]?.spec).toEqual({ workflow: { name: "ship", display_name: "ship", project: "shop" } });
    const whole = await plans.ok<ShownPlan>("GET", `${consolePath}/${id}`);
    expect(whole.jobs[0]?.spec).toBeNull();
    const alone = await plans.ok<ShownPlan["jobs"][number]>("GET", `${consolePath}/${id}/job/${job?.id}`);
    expect(alone).toEqual(job);
    const log = await plans.slipway.call("GET", `${open}/${id}/logs`);
    expect(log.text).not.toContain("hunter2");
    const operations = await plans.slipway.call("GET", "/openapi/system/operation?searchType=all&perPage=5");
    expect(operations.text).toContain("Release Plan");
    expect(operations.text).not.toContain("hunter2");
  });

  test("is edited step by step while it is a draft, and the log tells every step", async () => {
    const id = await plans.make({ name: "steps" });
    const soon = Math.floor(Date.now() / 1000) + 3600;
    await plans.edit(id, "update_name", { name: "stepped" });
    await plans.edit(id, "update_description", { description: "why" });
    await plans.edit(id, "update_time_range", { start_time: soon, end_time: soon + 20 });
    await plans.edit(id, "update_schedule_execute_time", { schedule_execute_time: soon + 15 });
    await plans.edit(id, "update_settings", { stop_on_failure: true });
    await plans.edit(id, "create_release_job", textJob("a"));
    await plans.edit(id, "create_release_job", { ...textJob("b"), depends_on: ["a"] });
    const [a, b] = (await plans.read(id)).jobs;
    await plans.edit(id, "update_release_job", { ...textJob("first", "do it"), id: a?.id });
    await plans.edit(id, "reorder_release_job", { job_ids: [b?.id, a?.id] });
    await plans.edit(id, "update_approval", { approval: approvalBy(lee.uid) });
    const plan = await plans.read(id);
    expect(plan).toMatchObject({
      ...{ name: "stepped", description: "why", version: 11 },
      ...{ start_time: soon, end_time: soon + 20, schedule_execute_time: soon + 15 },
      settings: { stop_on_failure: true, auto_execute: false },
      jobs: [
        { id: b?.id, name: "b", depends_on: ["first"], updated: false },
        { id: a?.id, name: "first", updated: true, spec: { content: "do it" } },
      ],
    });
    await plans.edit(id, "delete_approval", {});
    await plans.edit(id, "delete_release_job", { id: b?.id });
    const before = await plans.read(id);
    await plans.edit(id, "update_name", { name: "stepped" });
    expect(await plans.read(id)).toEqual(before);
    const { list } = await plans.ok<{ list: { target_name: string; version: number; verb: string }[] }>(
      "GET",
      `${consolePath}/${id}/logs`,
    );
    expect(list.map(({ verb, target_name }) => `${verb} ${target_name}`).reverse()).toEqual([
      ...["create steps", "update name", "update description", "update times", "update times", "update settings"],
      ...["create a", "create b", "update first", "update order", "update stepped", "delete stepped", "delete b"],
    ]);
    const check = await plans.ok("GET", `${open}/${id}/check_update?version=2&verb=update_name`);
    expect(check).toMatchObject({ has_update: true, current_version: before.version, updated_by: "admin" });
    const diff = await plans.ok("GET", `${open}/${id}/versions/2/diff`);
    expect(diff).toMatchObject({ version: 2, list: [{ target_name: "name", before: "steps", after: "stepped" }] });
  });

  test("is edited by who holds the right of the edit, and replaced by its manager or who holds all three", async () => {
    const id = await plans.make();
    const metadata = await newPerson("metadata", [
      { namespace: "*", roles: { editor: ["edit_release_plan_metadata"] } },
    ]);
    const by = (token: string, verb: string, spec: object) =>
      plans.slipway.call("PUT", `${open}/${id}`, { token, body: { verb, spec } });
    expect((await by(metadata.token, "update_name", { name: "x" })).status).toBe(200);
    const refused = await by(metadata.token, "create_release_job", textJob("a"));
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("edit_release_plan_subtasks")]);
    const patch = (token: string) =>
      plans.slipway.call("PATCH", `${open}/${id}`, { token, body: planBody({ name: "mine" }) });
    expect((await patch(metadata.token)).status).toBe(403);
    expect((await patch(stranger.token)).status).toBe(403);
    expect((await patch(lee.token)).status).toBe(200);
  });

  test("takes workflow jobs only of those who may run the workflow", async () => {
    const id = await plans.make();
    const body = planBody({ jobs: [workflowJob("ship")] });
    const refused = await plans.slipway.call("PATCH", `${open}/${id}`, { token: lee.token, body });
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining("jobs[0].spec: requires run_workflow"),
    ]);
  });

  test("is made with its jobs, copied and deleted by the console", async () => {
    const manager = { manager: "lee", manager_id: lee.uid };
    const jobs = [textJob("tell"), workflowJob("ship")];
    await plans.ok("POST", consolePath, { name: "whole", ...manager, jobs });
    const found = await plans.ok<{ list: ShownPlan[]; total: number }>(
      "GET",
      `${consolePath}?pageNum=1&pageSize=5&type=name&keyword=whol`,
    );
    expect(found).toMatchObject({ total: 1, list: [{ name: "whole", status: "planning" }] });
    expect(found.list[0]).not.toHaveProperty("jobs");
    expect(found.list[0]).toHaveProperty("job_counts", { total: 2, ended: 0, failed: 0 });
    const statuses = (keyword: string) =>
      plans.ok<{ list: ShownPlan[] }>("GET", `${consolePath}?type=status&keyword=${keyword}`);
    const either = await statuses("cancel,planning");
    expect(either.list.map(({ name }) => name)).toContain("whole");
    expect(new Set(either.list.map(({ status }) => status))).not.toContain("executing");
    expect((await statuses("plan")).list).toEqual([]);
    const from = found.list[0]?.id ?? "";
    const { id } = await plans.ok<{ id: string }>("POST", `${consolePath}/${from}/copy`, { name: "copied" });
    const [whole, copied] = [await plans.read(from), await plans.read(id)];
    expect(copied).toMatchObject({ name: "copied", status: "planning", version: 1, manager: "lee" });
    expect(copied.jobs.map(({ name, spec }) => [name, spec])).toEqual(whole.jobs.map(({ name, spec }) => [name, spec]));
    expect(copied.jobs[0]?.id).not.toBe(whole.jobs[0]?.id);
    await plans.ok("DELETE", `${open}/${id}`);
    expect((await plans.refused("GET", `${open}/${id}`)).status).toBe(404);
    const { list } = await plans.ok<{ list: { verb: string }[] }>("GET", `${consolePath}/${id}/logs`);
    expect(list.map(({ verb }) => verb)).toEqual(["delete", "create"]);
  });
});

describe("a body that is wrong names the field and what would be right", () => {
  const ids = Array.from({ length: 101 }, (_, at) => textJob(`job-${at}`));
  const bodies: [string, object, number | undefined, string][] = [
    ["times as text", { start_time: "5" }, 400, "body start_time: must be a whole number of Unix seconds"],
    ["a negative time", { end_time: -1 }, 400, "body end_time: must be 0 or more"],
    ["milliseconds", { start_time: 1_760_000_000_000_000 }, 400, "must be Unix seconds, not milliseconds"],
    ["an end before the start", { start_time: 9, end_time: 3 }, 400, "body end_time: must be later than start_time 9"],
    ["a window of no length", { start_time: 9, end_time: 9 }, 400, "body end_time: must be later than start_time 9"],
    [
      "a schedule outside its window",
      { start_time: 3, end_time: 9, schedule_execute_time: 10 },
      400,
      "body schedule_execute_time: must be inside the window from 3 to 9, or 0",
    ],
    [
      "a schedule that is past",
      { schedule_execute_time: Math.floor(Date.now() / 1000) - 3600 },
      400,
      "is past; choose a later time, or 0 for none",
    ],
    ["an unknown manager", { manager: "nobody" }, 400, "body manager: User nobody not found"],
    ["a manager of another kind", { manager_identity_type: "ldap" }, 400, "of the identity type ldap"],
    ["no name", { name: "" }, 400, "body name: cannot be empty"],
    ["a name of 10 KB", { name: "n".repeat(10_240) }, 400, "body name: must have at most 256 characters"],
    [
      "an approval by a chat service that names nobody",
      { approval: { enabled: true, type: "lark" } },
      400,
      "body approval.lark_approval: lintApproval error: approval not found: name who approves",
    ],
    [
      "an approval by nobody",
      { approval: { enabled: true, type: "native" } },
      400,
      "native_approval: approval not found",
    ],
    [
      "fewer approvers than needed",
      { approval: { enabled: true, type: "native", native_approval: { needed_approvers: 1, approve_users: [] } } },
      400,
      "lintApproval error: all approve users should not less than needed approvers: 1 must approve and 0 are named",
    ],
    [
      "an approver who is not there",
      { approval: { enabled: true, native_approval: { approve_users: [{ user_id: "u-1", user_name: "Kim" }] } } },
      400,
      "body approval.native_approval.approve_users[0].user_id: no user has the id u-1",
    ],
    ["101 jobs", { jobs: ids }, 400, "body jobs: must have at most 100 jobs"],
    [
      "an unknown type of job",
      { jobs: [{ name: "a", type: "helm", spec: {} }] },
      400,
      "body jobs[0].type: must be text or workflow",
    ],
    [
      "an unknown workflow",
      { jobs: [workflowJob("nothing")] },
      6542,
      "body jobs[0].spec.workflow_key: workflow nothing does not exist in project shop",
    ],
    [
      "a workflow of another project",
      { jobs: [workflowJob("ship", { project_key: "other" })] },
      6542,
      "workflow ship does not exist in project other",
    ],
    [
      "a parameter that the workflow does not have",
      { jobs: [textJob("a"), workflowJob("ship", { parameters: [{ name: "gone", value: "1" }] })] },
      6545,
      "body jobs[1].spec: param gone not found in workflow",
    ],
    [
      "a choice that the parameter does not offer",
      { jobs: [workflowJob("ship", { parameters: [{ name: "mode", value: "half" }] })] },
      6545,
      "invalid choice value half for param mode; it must be one of: full, quick",
    ],
    ["a disabled workflow", { jobs: [workflowJob("off")] }, 6545, "workflow off is disabled"],
    [
      "jobs that wait for each other",
      {
        jobs: [
          { ...textJob("a"), depends_on: ["b"] },
          { ...textJob("b"), depends_on: ["a"] },
        ],
      },
      400,
      "body jobs[0].depends_on: jobs wait for each other: a -> b -> a",
    ],
    [
      "a job that waits for one that is not there",
      { jobs: [{ ...textJob("a"), depends_on: ["z"] }] },
      400,
      "body jobs[0].depends_on: z is no job of the plan, which has a",
    ],
  ];

  test.each(bodies)("%s", async (_, body, code, sentence) => {
    const id = await plans.make();
    const before = await plans.read(id);
    const refused = await plans.refused("PATCH", `${open}/${id}`, planBody(body));
    expect(refused.json.description).toContain(sentence);
    expect(refused.json.code).toBe(code);
    expect(await plans.read(id)).toEqual(before);
  });

  test("an edit with an unknown verb, of a job of another plan, or of another version", async () => {
    const [id, other] = [await plans.make(), await plans.make()];
    await plans.edit(other, "create_release_job", textJob("theirs"));
    const theirs = (await plans.read(other)).jobs[0]?.id;
    const edit = (body: object) => plans.refused("PUT", `${open}/${id}`, body);
    expect((await edit({ verb: "explode", spec: {} })).json.description).toContain(
      "body verb: must be one of update_name",
    );
    expect((await edit({ verb: "delete_release_job", spec: { id: theirs } })).json.description).toContain(
      `body spec.id: job ${theirs} is not in the plan`,
    );
    const stale = await edit({ verb: "update_name", version: 7, spec: { name: "x" } });
    expect([stale.status, stale.json.description]).toEqual([
      409,
      expect.stringContaining("version: the plan is at version 1"),
    ]);
  });
});

test("fifty edits at once all count, but for those that are told to come again", async () => {
  const id = await plans.make();
  const names = Array.from({ length: 50 }, (_, at) => `job-${at}`);
  const answers = await Promise.all(
    names.map((name) =>
      plans.slipway.call("PUT", `${open}/${id}`, { body: { verb: "create_release_job", spec: textJob(name) } }),
    ),
  );
  const made = names.filter((_, at) => answers[at]?.status === 200);
  expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
  expect(made.length).toBeGreaterThan(5);
  const plan = await plans.read(id);
  expect(plan.version).toBe(1 + made.length);
  expect(plan.jobs.map(({ name }) => name).sort()).toEqual(made.toSorted());
});
