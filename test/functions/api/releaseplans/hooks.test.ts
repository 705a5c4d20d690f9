import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { handler as reconcile } from "../../../../functions/triggers/reconciler/handler.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { dueDeliveries } from "../../../../shared/integrations/notify/store/deliveries.ts";
import { flushPendingEffects } from "../../../../shared/releaseplans/flushPendingEffects.ts";
import { findPendingEffects, findPlansWithEffects } from "../../../../shared/releaseplans/records/pendingEffects.ts";
import { planWrites, requirePlan } from "../../../../shared/releaseplans/records/plans.ts";
import { changeStatus } from "../../../../shared/releaseplans/rules/changeStatus.ts";
import { systemActor } from "../../../../shared/releaseplans/rules/plan.ts";
import { type HookReceiver, type ReceivedHook, startHookReceiver } from "../../../harness/hookReceiver.ts";
import { rawItems } from "../../../harness/rawItems.ts";
import { givenPlans, type ReleasePlans, type ShownPlan, textJob, workflowJob } from "../../../harness/releasePlans.ts";
import { waitFor } from "../../../harness/waitFor.ts";

let plans: ReleasePlans;
let receiver: HookReceiver;

beforeAll(async () => {
  plans = await givenPlans({ SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" });
  receiver = await startHookReceiver((where) => (where === "/robot" ? '{"errcode":0}' : ""));
});
afterAll(async () => {
  await plans.slipway.close();
  await receiver.close();
});

// What one test leaves to be sent would take the answers that the next one gives.
afterEach(() =>
  waitFor(
    "everything to be sent",
    async () => (await findPlansWithEffects()).length + (await dueDeliveries()).length === 0,
  ),
);

const path = "/openapi/release_plan/v1";
const events = ["finish_planning", "start_execute", "all_job_done"];
const secret = "S-1";
const asked = { enable: true, enable_call_back: true };
const setting = (more: object = {}) =>
  plans.ok("PUT", `${path}/hook/setting`, {
    ...{ enable: true, hook_address: `${receiver.url}/gate`, hook_secret: secret, hook_events: events },
    ...more,
  });

/** A plan with the setting of now, moved by its manager. */
async function planAt(jobs: readonly object[], more: object, ...statuses: string[]): Promise<ShownPlan> {
  const id = await plans.make();
  await plans.replace(id, { jobs, ...more });
  return plans.move(id, ...statuses);
}

const until = (id: string, status: string) =>
  waitFor(`plan ${id} to be ${status}`, async () => {
    const plan = await plans.read(id);
    return plan.status === status && plan;
  });

async function details(id: string): Promise<string[]> {
  const { list } = await plans.ok<{ list: { detail: string; username: string }[] }>("GET", `${path}/${id}/logs`);
  return list.map(({ username, detail }) => `${username}: ${detail}`).reverse();
}

const noted = (id: string, what: string) =>
  waitFor(`the log to say ${what}`, async () => (await details(id)).find((one) => one.includes(what)));

const finish = (plan: ShownPlan) => {
  const [job] = plan.jobs;
  return plans.ok("POST", `${path}/${plan.id}/execute`, { id: job?.id, name: job?.name, type: job?.type, spec: {} });
};

function callBack(
  plan: ShownPlan,
  hook_event: string,
  result: string,
  more: object = {},
  where = `${path}/hook/callback`,
) {
  const body = { release_plan_id: plan.id, instance_code: plan.instance_code, hook_event, result, ...more };
  return plans.slipway.call<{ description: string; extra: { problems: object[] } }>("POST", where, { body });
}

interface Told {
  object_kind: string;
  event: string;
  workflow: null;
  release_plan: Record<string, unknown> & { id: string; event_name: string; status: string };
}

const bodyOf = ({ body }: ReceivedHook): Told => JSON.parse(body);
const callsFor = ({ id }: { id: string }) => receiver.received.filter((call) => bodyOf(call).release_plan?.id === id);
const told = (plan: { id: string }, count: number) =>
  waitFor(`${count} calls about plan ${plan.id}`, async () => callsFor(plan).length >= count && callsFor(plan));

describe("whoever is only told", () => {
  test("hears when planning ended, execution began and all jobs were over, and nobody waits for it", async () => {
    await setting();
    const jobs = [textJob("tell", "call the desk")];
    const plan = await planAt(jobs, { description: "R-17" }, "finish_planning", "executing");
    expect(plan).toMatchObject({ hook_settings: { enable: true, enable_call_back: false, hook_events: events } });
    await finish(plan);
    await until(plan.id, "success");
    const calls = await told(plan, 3);
    const bodies = calls.map(bodyOf).map(({ release_plan }) => [release_plan.event_name, release_plan.status]);
    expect(new Map(bodies as [string, string][])).toEqual(
      new Map([
        ["finish_planning", "finish_planning"],
        ["start_execute", "executing"],
        ["all_job_done", "success"],
      ]),
    );
    const first = calls.find((call) => bodyOf(call).release_plan.event_name === "finish_planning") as ReceivedHook;
    expect(first.headers).toMatchObject({
      ...{ "content-type": "application/json", "x-zadig-token": secret, "x-zadig-event": "release_plan" },
      "x-zadig-instance": expect.any(String),
    });
    const { index, manager_id, instance_code, planning_time } = await plans.read(plan.id);
    expect(bodyOf(first)).toEqual({
      ...{ object_kind: "release_plan", event: "release_plan", workflow: null },
      release_plan: {
        ...{ id: plan.id, index, event_name: "finish_planning", name: "plan", manager: "lee", manager_id },
        ...{ start_time: 0, end_time: 0, schedule_execute_time: 0, description: "R-17", instance_code },
        ...{ created_by: "admin", create_time: expect.any(Number), updated_by: "admin" },
        ...{ update_time: expect.any(Number), status: "finish_planning", planning_time },
        ...{ approval_time: 0, executing_time: 0, success_time: 0 },
        jobs: [
          {
            ...{ id: plan.jobs[0]?.id, name: "tell", manager: "", manager_id: "", type: "text", status: "" },
            ...{ spec: { content: "call the desk", remark: "" }, executed_by: "", executed_time: 0 },
          },
        ],
      },
    });
    const ids = calls.map(({ headers }) => headers["x-zadig-event-uuid"]);
    expect(new Set(ids).size).toBe(3);
    expect((await callBack(plan, "all_job_done", "failed")).status).toBe(200);
    expect((await plans.read(plan.id)).status).toBe("success");
  });

  test("is told of what the plan's snapshot says, which a new planning takes anew", async () => {
    await setting({ hook_events: ["start_execute"] });
    const plan = await planAt([textJob("tell")], {});
    await setting({ enable: false });
    expect(await plans.move(plan.id, "finish_planning", "executing")).toMatchObject({
      hook_settings: { enable: true, hook_events: ["start_execute"] },
    });
    // Where to, nobody says any more.
    await noted(plan.id, "not told of start_execute: external checks were switched off");
    expect(callsFor(plan)).toEqual([]);
    expect(await plans.move(plan.id, "planning")).toMatchObject({ hook_settings: { enable: false } });
    expect((await plans.move(plan.id, "finish_planning", "executing")).status).toBe("executing");
  });
});

describe("whoever is asked", () => {
  test("holds the plan at each event until the answer, and the plan runs on by itself", async () => {
    await setting(asked);
    const settings = { settings: { auto_execute: true } };
    const plan = await planAt([workflowJob("ship")], settings, "finish_planning");
    expect(plan).toMatchObject({ status: "wait_for_finish_planning_external_check" });
    const [question] = await told(plan, 1);
    expect(bodyOf(question as ReceivedHook).release_plan).toMatchObject({
      ...{ event_name: "finish_planning", status: plan.status, instance_code: plan.instance_code },
      jobs: [{ type: "workflow", spec: { workflow: { name: "ship", project: "shop" } } }],
    });
    expect((await callBack(plan, "finish_planning", "executing", { description: "two of three" })).status).toBe(200);
    expect(await plans.read(plan.id)).toMatchObject({ status: plan.status, callback_description: "two of three" });
    const answered = await callBack(plan, "finish_planning", "success", {}, "/api/callback/release_plan");
    expect(answered.status, answered.text).toBe(200);
    const ran = await until(plan.id, "wait_for_all_done_external_check");
    expect(ran.jobs[0]).toMatchObject({ status: "done", executed_by: "lee" });
    expect((await callBack(ran, "all_job_done", "success")).status).toBe(200);
    expect((await plans.read(plan.id)).success_time).toBeGreaterThan(0);
    expect((await told(plan, 2)).map((call) => bodyOf(call).release_plan.event_name)).toEqual([
      ...["finish_planning", "all_job_done"],
    ]);
    const said = await details(plan.id);
    expect(said).toEqual(
      expect.arrayContaining(["admin: the external check is under way: two of three", "admin: external check passed"]),
    );
    const operations = await plans.slipway.call("GET", "/openapi/system/operation?searchType=all&perPage=20");
    expect(operations.text).toContain('"method":"Callback"');
  });

  test("ends the plan's way by an answer that says failed, until planning begins again", async () => {
    await setting({ ...asked, hook_events: ["start_execute"] });
    const held = await planAt([textJob("tell")], {}, "finish_planning", "executing");
    expect(held.status).toBe("wait_for_execute_external_check");
    await callBack(held, "start_execute", "failed", { failed_reason: "no ticket" });
    expect(await plans.read(held.id)).toMatchObject({
      ...{ status: "wait_for_execute_external_check_failed", external_check_failed_reason: "no ticket" },
    });
    expect(await details(held.id)).toContain("admin: external check failed: no ticket");
    const late = await callBack(held, "start_execute", "success");
    expect([late.status, late.json.description]).toEqual([
      400,
      "plan status is wait_for_execute_external_check_failed, it does not wait for start_execute",
    ]);
    const again = await plans.move(held.id, "planning", "finish_planning", "executing");
    expect(again).toMatchObject({ status: "wait_for_execute_external_check", external_check_failed_reason: "" });
    const old = await callBack(held, "start_execute", "success");
    expect([old.status, old.json.description]).toEqual([400, expect.stringContaining("instance_code: the plan's is")]);
    expect((await callBack(again, "start_execute", "success")).status).toBe(200);
    expect((await plans.read(held.id)).status).toBe("executing");
  });

  test("is refused what it cannot say, and whoever has no right to answer", async () => {
    await setting(asked);
    const held = await planAt([textJob("tell")], {}, "finish_planning");
    const unknown = await callBack(held, "finish_planning", "maybe");
    expect([unknown.status, unknown.json.extra.problems]).toEqual([
      400,
      [{ in: "body", path: "result", problem: "must be one of success, failed, executing" }],
    ]);
    expect((await callBack(held, "submit", "success")).status).toBe(400);
    expect((await callBack(held, "start_execute", "success")).status).toBe(400);
    expect((await callBack({ ...held, id: "f".repeat(24) }, "finish_planning", "success")).status).toBe(404);
    const body = { release_plan_id: held.id, instance_code: held.instance_code, hook_event: "finish_planning" };
    const { status } = await plans.slipway.call("POST", `${path}/hook/callback`, {
      ...{ body: { ...body, result: "success" }, token: plans.lee.token },
    });
    expect(status).toBe(403);
    // Whoever switches checks off stops answers, too; the manager leads the plan out.
    await setting({ enable: false });
    expect((await callBack(held, "finish_planning", "success")).status).toBe(200);
    expect((await plans.read(held.id)).status).toBe(held.status);
    expect((await plans.move(held.id, "cancel")).status).toBe("cancel");
  });

  test("counts once of two answers at the same moment, and a cancelled plan stays so", async () => {
    await setting({ ...asked, hook_events: ["finish_planning"] });
    const held = await planAt([textJob("tell")], {}, "finish_planning");
    const answers = await Promise.all(["success", "failed"].map((result) => callBack(held, "finish_planning", result)));
    const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
    expect(won?.status).toBe(200);
    expect([400, 409]).toContain(lost?.status);
    const passed = answers[0]?.status === 200;
    expect((await plans.read(held.id)).status).toBe(passed ? "executing" : `${held.status}_failed`);
    const other = await planAt([textJob("tell")], {}, "finish_planning");
    const [answer] = await Promise.all([callBack(other, "finish_planning", "success"), plans.move(other.id, "cancel")]);
    expect([200, 400, 409]).toContain(answer.status);
    expect((await plans.read(other.id)).status).toBe("cancel");
  });
});

describe("sending", () => {
  test("is done by the reconciler when the writer was killed, once, and again with the same id when it failed", async () => {
    await setting();
    const plan = await planAt([textJob("tell")], {}, "finish_planning", "executing");
    await told(plan, 2);
    await waitFor("nothing to be owed", async () => !(await findPlansWithEffects()).includes(plan.id));
    const stored = await requirePlan(plan.id);
    const step = changeStatus(stored, "success", systemActor, "over", { successTime: 1 });
    receiver.next.push({ status: 503 });
    // Written, and nobody told: as by a process that died behind its write.
    await table().write(...planWrites(stored, { ...step, hooks: ["all_job_done"] }));
    expect(await findPendingEffects(plan.id)).toMatchObject([{ tells: { hooks: ["all_job_done"] } }]);
    expect(callsFor(plan).length).toBe(2);
    await Promise.all([reconcile(), flushPendingEffects(plan.id), flushPendingEffects(plan.id)]);
    const calls = (await told(plan, 4)).slice(2);
    for (const name of ["x-zadig-event-uuid", "x-zadig-webhook-uuid"])
      expect(new Set(calls.map(({ headers }) => headers[name])).size).toBe(1);
    await waitFor("nothing to be owed", async () => !(await findPlansWithEffects()).includes(plan.id));
    await reconcile();
    expect(callsFor(plan).length).toBe(4);
  });

  test("holds no call up: a receiver that answers late is waited for by nobody", async () => {
    await setting();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    receiver.next.push({ status: 200, after: released });
    const plan = await planAt([textJob("tell")], {}, "finish_planning");
    await told(plan, 1);
    await plans.move(plan.id, "executing");
    await finish(plan);
    expect((await until(plan.id, "success")).status).toBe("success");
    release();
    expect((await told(plan, 3)).length).toBe(3);
  });

  test("that fails stands in the log, with the reason, and the plan waits on", async () => {
    await setting({ ...asked, hook_address: "http://127.0.0.1:9/down" });
    const down = await planAt([textJob("tell")], {}, "finish_planning");
    await setting({ ...asked, hook_address: "https://10.0.0.1/private" });
    const hidden = await planAt([textJob("tell")], {}, "finish_planning");
    await noted(hidden.id, "webhook to 10.0.0.1 was not told of finish_planning after 1 try: 10.0.0.1: a private");
    await setting(asked);
    receiver.next.push({ status: 500 }, { status: 500 }, { status: 500 });
    const broken = await planAt([textJob("tell")], {}, "finish_planning");
    await noted(broken.id, "was not told of finish_planning after 3 tries: answered HTTP 500");
    await noted(down.id, "webhook to 127.0.0.1:9 was not told of finish_planning after 3 tries: 127.0.0.1:9");
    for (const { id, status } of [down, hidden, broken]) expect((await plans.read(id)).status).toBe(status);
  });
});

describe("the notifications of a plan", () => {
  const notify = (types: string[], more: object = {}) => ({
    ...{ enabled: true, webhook_type: "webhook", notify_type: types },
    webhook_notification_config: { address: `${receiver.url}/people`, token: "T-1" },
    ...more,
  });
  const robot = { enabled: true, webhook_type: "dingding", notify_type: ["cancel"] };
  const about = (plan: ShownPlan) => callsFor(plan).filter((call) => call.path === "/people");
  const patch = (id: string, more: object) => {
    const body = { name: "plan", manager: "lee", manager_identity_type: "system", jobs: [textJob("tell")], ...more };
    return plans.refused("PATCH", `${path}/${id}`, body);
  };

  test("go out as those of workflows do, for the statuses that they name, and each of them once", async () => {
    await setting({ enable: false });
    const notify_ctls = [
      notify(["executing", "success"]),
      notify(["success"], { enabled: false }),
      { ...robot, dingding_notification_config: { hook_address: `${receiver.url}/robot` } },
    ];
    const plan = await planAt([textJob("tell")], { notify_ctls }, "finish_planning", "executing");
    const shown = { address: `${receiver.url}/people`, token: "********" };
    expect(plan.notify_ctls).toMatchObject([{ webhook_notification_config: shown }, { enabled: false }, robot]);
    await finish(plan);
    await until(plan.id, "success");
    const calls = await waitFor("two calls", async () => about(plan).length >= 2 && about(plan));
    expect(calls.map((call) => bodyOf(call).release_plan.event_name).sort()).toEqual(["executing", "success"]);
    expect(calls[0]?.headers).toMatchObject({ "x-zadig-token": "T-1", "x-zadig-event": "release_plan" });
    await flushPendingEffects(plan.id);
    expect(about(plan).length).toBe(2);

    const { id } = await plans.ok<{ id: string }>("POST", `${path}/${plan.id}/copy`, { name: "copied" });
    expect((await plans.read(id)).notify_ctls).toEqual(plan.notify_ctls);
    await plans.edit(id, "create_release_job", textJob("more"));
    await plans.move(id, "finish_planning", "executing", "cancel");
    const [card] = await receiver.receivedOn("/robot", 1);
    expect(card?.body).toContain("Release plan copied #");
    expect(card?.body).toContain("was cancelled");
    expect(card?.body).toContain(
      `/v1/releasePlan/detail?id=${id}`.replaceAll("/", "%2F").replace("?", "%3F").replace("=", "%3D"),
    );
  });

  test("keep a token that is sent as it is shown, at its address alone, and leave it nowhere in the open", async () => {
    const id = await plans.make();
    const secretOne = (more: object = {}) => ({ address: `${receiver.url}/people`, token: "T-S3CRET", ...more });
    const ctl = (config: object) => notify(["cancel"], { webhook_notification_config: config });
    await plans.replace(id, { jobs: [textJob("tell")], notify_ctls: [ctl(secretOne())] });
    await plans.edit(id, "update_notify", { notify_ctls: [ctl(secretOne({ token: "********" })), notify(["denied"])] });
    const refused = await patch(id, { notify_ctls: [ctl({ address: "https://evil.example.com", token: "********" })] });
    expect(refused.json.extra.problems).toMatchObject([
      { path: "notify_ctls", problem: expect.stringContaining("none") },
    ]);
    const metadata = await patch(id, { notify_ctls: [ctl({ address: "http://169.254.169.254/", token: "new" })] });
    expect(metadata.json.extra.problems).toMatchObject([
      {
        path: "notify_ctls[0].webhook_notification_config.address",
        problem: "169.254.169.254 is a link-local address (instance metadata), which is never reached",
      },
    ]);
    const plan = await plans.move(id, "finish_planning", "executing", "cancel");
    const [call] = await waitFor("a call", async () => about(plan).length > 0 && about(plan));
    expect(call?.headers["x-zadig-token"]).toBe("T-S3CRET");
    const items = rawItems;
    expect(JSON.stringify(await items.all())).not.toContain("T-S3CRET");
    for (const where of [`${path}/${id}`, `${path}/${id}/logs`, "/openapi/system/operation?searchType=all&perPage=20"])
      expect((await plans.slipway.call("GET", where)).text).not.toContain("T-S3CRET");
    await plans.replace(id, { jobs: [textJob("tell")] });
    expect((await plans.read(id)).notify_ctls).toEqual([]);
  });

  test.each([
    [{ notify_type: ["passed"] }, "notify_ctls[0].notify_type[0]", /^must be one of planning, /],
    [{ webhook_type: "pigeon" }, "notify_ctls[0].webhook_type", /^must be one of feishu, /],
    [{ enabled: "yes" }, "notify_ctls[0].enabled", /^must be true or false$/],
  ])("are refused when they say %j, naming the place", async (more, where, problem) => {
    const { json } = await patch(await plans.make(), { notify_ctls: [notify(["success"], more)] });
    expect(json.extra.problems).toContainEqual({ in: "body", path: where, problem: expect.stringMatching(problem) });
  });
});
