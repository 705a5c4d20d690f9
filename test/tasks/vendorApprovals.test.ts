import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { handler as follow } from "../../functions/triggers/approval-follower/handler.ts";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import { table } from "../../shared/base/store/table.ts";
import { findPendingApproval, pendingWithdrawal } from "../../shared/integrations/approvals/store/pendingApprovals.ts";
import { findWholeTask } from "../../shared/workflows/records/findTasks.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { type ChatService, type LarkService, startDingtalk, startLark, startWorkwx } from "../harness/chatServices.ts";
import type { Slipway } from "../harness/slipway.ts";
import { startedInHaste } from "../harness/startedInHaste.ts";
import { gate, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000 });

const types = ["lark", "lark_intl", "dingtalk", "workwx"] as const;
type Type = (typeof types)[number];

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let services: Record<Type, ChatService> & { lark: LarkService };
const apps = {} as Record<Type, string>;

beforeAll(async () => {
  const [lark, lark_intl] = await Promise.all([startLark("lark"), startLark("lark_intl")]);
  services = { lark, lark_intl, dingtalk: await startDingtalk(), workwx: await startWorkwx() };
  ({ slipway, tasks } = await startShop({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } }));
  for (const type of types) {
    const { json } = await slipway.call<{ id: string }>("POST", "/api/aslan/system/im-apps", {
      body: services[type].app,
    });
    apps[type] = json.id;
  }
});

afterAll(async () => {
  await slipway.close();
  await Promise.all(types.map((type) => services[type].server.close()));
  delete process.env.SLIPWAY_OUTBOUND_ALLOW;
});

const fieldOf = (type: Type) => `${services[type].word}_approval`;

function asking(type: Type, changes: object = {}) {
  const { person } = services[type];
  const approval_nodes = [
    { type: "AND", approve_users: [person("kim")] },
    { type: "OR", approve_users: [person("sam"), person("ann")] },
  ];
  const question = { approval_id: apps[type], default_approval_initiator: person("lee"), approval_nodes, ...changes };
  return { type, description: "Ship it?", [fieldOf(type)]: question };
}

type Spec = ReturnType<typeof asking>;
type Source = Parameters<typeof startedInHaste>[2];

/** Where an approval may stand: of a stage before its jobs, or as a job before others. */
interface Place {
  where: "job" | "stage";
  workflow(name: string, spec: Spec): Source;
  place: string;
  approval(task: ShownTask): Record<string, unknown>;
  status(task: ShownTask): string;
  error(task: ShownTask): string;
}
const stageOf = ({ stages }: ShownTask) =>
  stages[0] as unknown as { status: string; error: string; approval: Record<string, unknown> };
const ofStage: Place = {
  where: "stage",
  workflow: (name, spec) => ({
    ...{ name, concurrency_limit: -1 },
    stages: [{ name: "ship", approval: { enabled: true, ...spec }, jobs: [gate("behind")] }],
  }),
  place: "ship",
  approval: (task) => stageOf(task).approval,
  status: (task) => stageOf(task).status,
  error: (task) => stageOf(task).error,
};
const ofJob: Place = {
  where: "job",
  workflow: (name, spec) => ({
    ...{ name, concurrency_limit: -1 },
    stages: [{ name: "ship", jobs: [{ name: "ask", type: "approval", spec }, gate("behind")] }],
  }),
  place: "job-0-0-0-ask",
  approval: ({ stages }) => stages[0]?.jobs[0]?.spec ?? {},
  status: ({ stages }) => stages[0]?.jobs[0]?.status ?? "",
  error: ({ stages }) => stages[0]?.jobs[0]?.error ?? "",
};

const save = (source: Source) =>
  slipway.call<{ code: number; description: string }>("POST", "/openapi/workflows/custom", {
    body: { project: "shop", ...source },
  });
async function saved(source: Source): Promise<void> {
  const { status, text } = await save(source);
  if (status !== 200) throw new Error(`${source.name} was not saved: ${text}`);
}

const question = (place: Place, type: Type, task: ShownTask) =>
  place.approval(task)[fieldOf(type)] as { instance_code: string } & Record<string, unknown>;

/** The round that the approval of a task is in, as the record has it. */
async function roundOf(key: string, taskId: number) {
  const ownerId = (await findTaskOwner(key))?.id ?? "";
  const whole = await findWholeTask(ownerId, taskId);
  const job = whole?.jobs.find(({ approval }) => approval?.vendor !== undefined);
  const stage = whole?.stages.find(({ approval }) => approval?.vendor !== undefined);
  const round = (job ?? stage)?.approval?.vendor?.key ?? "";
  const place = job === undefined ? { stage: stage?.stage ?? 0 } : { job: job.name };
  return { ownerId, taskId, key: round, ...place };
}
const look = async (key: string, id: number) => follow({ ...(await roundOf(key, id)), look: true });

async function untilOpened(key: string, id: number, place: Place, type: Type, except = ""): Promise<string> {
  const task = await waitFor(`${key} #${id} to be asked`, async () => {
    await slipway.runtime.reconcile();
    const seen = await tasks.read(key, id);
    const code = question(place, type, seen)?.instance_code ?? "";
    return place.status(seen) === "wait_for_approval" && code !== "" && code !== except && seen;
  });
  return question(place, type, task).instance_code;
}
async function waiting(name: string, place: Place, type: Type, changes: object = {}) {
  const key = `${name}-${place.where}-${type.replace("_", "-")}`;
  await saved(place.workflow(key, asking(type, changes)));
  const id = await tasks.started(key, ["behind"]);
  return { key, id, code: await untilOpened(key, id, place, type) };
}
function hear(type: Type, code: string, keys?: Parameters<ChatService["callback"]>[1]) {
  const { query, body, headers } = services[type].callback(code, keys);
  const address = `/api/aslan/system/${services[type].word}/${apps[type]}/webhook${query}`;
  return slipway.call("POST", address, { token: null, body, headers });
}
const settled = async (key: string, id: number) => {
  const round = await roundOf(key, id);
  await waitFor("nothing to be owed", async () => {
    await slipway.runtime.reconcile();
    return (await findPendingApproval(round.key)) === undefined;
  });
};

describe.each([ofJob, ofStage])("a $where", (place) => {
  describe.each(types)("that is approved by %s", (type) => {
    test("is asked for once, and goes on when a callback says so and a look agrees", async () => {
      const { key, id, code } = await waiting("approved", place, type);
      const round = await roundOf(key, id);
      services[type].say(code, true, "fine");
      expect((await hear(type, code, { encrypt_key: "a".repeat(43) })).status).toBe(403);
      expect(place.status(await tasks.read(key, id))).toBe("wait_for_approval");
      const byCall = await tasks.approve(key, id, place.place, true);
      expect([byCall.status, byCall.json]).toMatchObject([
        400,
        { code: 6169, description: `the approval is decided in ${services[type].name}, not by this call` },
      ]);
      const answers = await Promise.all([hear(type, code), hear(type, code)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const task = await tasks.end(key, id);
      expect([task.status, place.status(task)]).toEqual(["passed", "passed"]);
      const { person } = services[type];
      expect(question(place, type, task)).toMatchObject({
        ...{ approval_id: apps[type], instance_code: code, reject_or_approve: "approve", timeout: expect.any(Number) },
        default_approval_initiator: person("lee"),
        approval_nodes: [
          {
            ...{ type: "AND", reject_or_approve: "approve" },
            approve_users: [
              { ...person("kim"), reject_or_approve: "approve", comment: "fine", operation_time: 1760000000 },
            ],
          },
          { type: "OR", approve_users: [person("sam"), person("ann")] },
        ],
      });
      expect(place.approval(task)).not.toHaveProperty("native_approval");
      expect(JSON.stringify(task)).not.toContain("secret");
      // What comes late changes nothing, and takes nothing back.
      expect((await hear(type, code)).status).toBe(200);
      await look(key, id);
      await settled(key, id);
      expect(await tasks.read(key, id)).toEqual(task);
      expect([services[type].opened(round.key), services[type].isTakenBack(code)]).toEqual([[code], false]);
    });

    test("is rejected by a look when nobody called back, and asked for anew by a retry", async () => {
      const { key, id, code } = await waiting("rejected", place, type);
      await look(key, id);
      expect(place.status(await tasks.read(key, id))).toBe("wait_for_approval");
      services[type].say(code, false, "not today");
      await look(key, id);
      const task = await tasks.end(key, id);
      expect([task.status, place.status(task)]).toEqual(["reject", "reject"]);
      expect(question(place, type, task)).toMatchObject({
        approval_nodes: [{ approve_users: [{ reject_or_approve: "reject", comment: "not today" }] }, {}],
      });
      expect((await tasks.retry(key, id)).status).toBe(200);
      const again = await untilOpened(key, id, place, type, code);
      // An old one that somebody kept leads to a look at nothing that waits.
      await hear(type, code);
      expect(place.status(await tasks.read(key, id))).toBe("wait_for_approval");
      services[type].say(again, true, "");
      await hear(type, again);
      expect((await tasks.end(key, id)).status).toBe("passed");
    });
  });

  test.each(["lark", "dingtalk", "workwx"] as const)(
    "is asked for once at %s although the answer of the first try was lost, and taken back when its task is cancelled",
    async (type) => {
      const service = services[type];
      service.forgetTokens();
      service.nextOpening("drop", true);
      const { key, id, code } = await waiting("lost", place, type);
      const round = await roundOf(key, id);
      expect(service.opened(round.key)).toEqual([code]);
      expect((await tasks.cancel(key, id)).status).toBe(200);
      const task = await tasks.end(key, id);
      expect([task.status, place.status(task)]).toEqual(["cancelled", "cancelled"]);
      await settled(key, id);
      expect(service.isTakenBack(code)).toBe(type !== "workwx");
      await hear(type, code);
      expect(await tasks.read(key, id)).toEqual(task);
    },
  );

  test("that nobody decides in time ends as timeout, and is taken back once the service answers again", async () => {
    const { server } = services.lark;
    const key = `late-${place.where}`;
    const id = await startedInHaste(slipway, "shop", place.workflow(key, asking("lark")));
    const task = await tasks.end(key, id);
    expect([task.status, place.status(task)]).toEqual(["timeout", "timeout"]);
    const { key: round } = await roundOf(key, id);
    await settled(key, id);
    expect(services.lark.opened(round).filter((code) => !services.lark.isTakenBack(code))).toEqual([]);

    const { key: other, id: second, code } = await waiting("down", place, "lark");
    services.lark.setDown(true);
    const before = server.received.length;
    await tasks.cancel(other, second);
    await tasks.end(other, second);
    await waitFor("a try", async () => server.received.length > before);
    expect(await findPendingApproval((await roundOf(other, second)).key)).toMatchObject({ leaves: { code } });
    services.lark.setDown(false);
    await settled(other, second);
    expect(services.lark.isTakenBack(code)).toBe(true);
  });

  test("waits while the service is down, and fails with what it refuses for good", async () => {
    const key = `patient-${place.where}`;
    await saved(place.workflow(key, asking("lark")));
    services.lark.setDown(true);
    const id = await tasks.started(key, ["behind"]);
    await waitFor("a try", async () => {
      const { ownerId } = await roundOf(key, id);
      const whole = await findWholeTask(ownerId, id);
      const found = [...(whole?.jobs ?? []), ...(whole?.stages ?? [])].flatMap(
        ({ approval }) => approval?.vendor ?? [],
      );
      return found.some(({ round }) => round.problem !== "");
    });
    expect(place.status(await tasks.read(key, id))).toBe("wait_for_approval");
    services.lark.setDown(false);
    const code = await untilOpened(key, id, place, "lark");
    services.lark.say(code, true, "");
    await hear("lark", code);
    expect((await tasks.end(key, id)).status).toBe("passed");

    services.lark.nextOpening(services.lark.refusal);
    const refused = await tasks.started(key, ["behind"]);
    const task = await tasks.end(key, refused);
    expect([task.status, place.status(task)]).toEqual(["failed", "failed"]);
    expect(place.error(task)).toContain("the approval cannot be opened in Feishu: ");
    await settled(key, refused);
  });

  test("whose instance somebody takes back at the service fails, and says so", async () => {
    const { key, id, code } = await waiting("revoked", place, "lark");
    services.lark.revoke(code);
    await hear("lark", code);
    const task = await tasks.end(key, id);
    expect([task.status, place.error(task)]).toEqual([
      "failed",
      "the approval was taken back in Feishu: nobody decides it any more",
    ]);
  });

  const person = (id: string) => ({ id, name: "x" });
  const nodes = (changes: object) => [
    { type: "AND", approve_users: [person("ou_kim")], ...changes },
    { type: "OR", approve_users: [person("ou_kim")] },
  ];
  test.each([
    ["approval_id", { approval_id: "f".repeat(24) }, "no chat app of the settings"],
    ["default_approval_initiator", { default_approval_initiator: null }, "in whose name"],
    ["default_approval_initiator", { default_approval_initiator: person("kim") }, "is not an open_id"],
    ["approval_nodes", { approval_nodes: null }, "name who approves"],
    ["approval_nodes", { approval_nodes: nodes({}).slice(0, 1) }, "the form has 2 nodes"],
    ["approval_nodes[0].type", { approval_nodes: nodes({ type: "OR" }) }, "the form's node is AND"],
    ["approval_nodes[0].approve_users", { approval_nodes: nodes({ approve_users: [] }) }, "name who approves"],
    [
      "approval_nodes[0].approve_users[0].id",
      { approval_nodes: nodes({ approve_users: [{ type: "task_creator" }] }) },
      "cannot be empty",
    ],
    ["approval_nodes[0].cc_users", { approval_nodes: nodes({ cc_users: [person("ou_a")] }) }, "cannot be asked"],
  ])("is refused when its workflow is saved, naming %s: %j", async (field, changes, says) => {
    const refused = await save(place.workflow("refused", asking("lark", changes)));
    const path = place.where === "job" ? "stages[0].jobs[0].spec" : "stages[0].approval";
    expect([refused.status, refused.json.code]).toEqual([400, 6545]);
    expect(refused.json.description).toContain(`${path}.lark_approval.${field}: `);
    expect(refused.json.description).toContain(says);
    const linted = await slipway.call<{ description: string }>("POST", "/api/aslan/workflow/v4/lint", {
      body: { project: "shop", ...place.workflow("refused", asking("lark", changes)) },
    });
    expect(linted.json.description).toBe(refused.json.description);
  });

  test("is refused when its workflow is saved while the service is down, and with what another type asks", async () => {
    services.lark.setDown(true);
    const down = await save(place.workflow("refused", asking("lark")));
    services.lark.setDown(false);
    expect(down.json.description).toMatch(/approval_id: (?:job|stage) \w+: Feishu cannot be asked: 127\.0\.0\.1/);
    const other = await save(place.workflow("refused", { ...asking("lark"), type: "dingtalk" }));
    expect(other.json.description).toMatch(/dingtalk_approval: (?:job|stage) \w+: approval not found/);
    const swapped = await save(place.workflow("refused", asking("lark", { approval_id: apps.lark_intl })));
    expect(swapped.json.description).toContain(
      "no chat app of the settings takes approvals of type lark under this id",
    );
    const unknown = { ...asking("lark"), type: "pager" } as unknown as Spec;
    const pager = await save(place.workflow("refused", unknown));
    expect([pager.status, pager.json.description]).toEqual([400, expect.stringMatching(/\.type: .*dingtalk/)]);
  });

  test("takes people from parameters, who are judged when its task starts", async () => {
    const key = `people-${place.where}`;
    const approve_users = [{ id: "{{.workflow.params.who}}", name: "who" }];
    const approval_nodes = [{ type: "AND", approve_users }, nodes({})[1]];
    const params = [{ name: "who", type: "string", value: "ou_kim" }];
    await saved({ ...place.workflow(key, asking("lark", { approval_nodes })), params });
    const wrong = await tasks.start(key, ["behind"], { parameters: [{ name: "who", value: "kim" }] });
    expect(wrong.json).toMatchObject({
      code: 6160,
      description: expect.stringContaining(
        "lark_approval.approval_nodes[0].approve_users[0].id kim is not an open_id, which begins with ou_",
      ),
    });
    const id = await tasks.started(key, ["behind"]);
    const code = await untilOpened(key, id, place, "lark");
    expect(question(place, "lark", await tasks.read(key, id))).toMatchObject({
      approval_nodes: [{ approve_users: [{ id: "ou_kim" }] }, {}],
    });
    services.lark.say(code, true, "");
    await hear("lark", code);
    expect((await tasks.end(key, id)).status).toBe("passed");
  });

  test("fails with its field when an earlier job gives nobody to ask", async () => {
    const key = `nobody-${place.where}`;
    const approve_users = [{ id: "{{.job.first.output.WHO}}", name: "who" }];
    const source = place.workflow(
      key,
      asking("lark", { approval_nodes: [{ type: "AND", approve_users }, nodes({})[1]] }),
    );
    const first = { name: "before", jobs: [gate("first")] };
    await saved({ ...source, stages: [first, ...(source.stages as object[])] });
    const task = await tasks.end(key, await tasks.started(key, ["first", "behind"]));
    expect(task.status).toBe("failed");
    const [, behind] = task.stages;
    const error = place.where === "job" ? behind?.jobs[0]?.error : (behind as unknown as { error: string }).error;
    expect(error).toContain("lark_approval.approval_nodes[0].approve_users[0].id cannot be empty");
  });
});

test("an instance that was let go while it was opened is owed until nobody can be at it any more", async () => {
  const owner = { ownerId: "0".repeat(24), taskId: 1, job: "gone", key: "let-go-early" };
  const left = { appId: apps.lark, key: owner.key, code: "", initiator: "ou_lee", since: 0 };
  await table().write(pendingWithdrawal(owner, { ...left, busyUntil: nowSeconds() + 100 }));
  await follow(owner);
  expect(await findPendingApproval(owner.key)).toMatchObject({ owner });
  await table().write(pendingWithdrawal(owner, { ...left, busyUntil: nowSeconds() }));
  await follow(owner);
  expect(await findPendingApproval(owner.key)).toBeUndefined();
});

test("a job that takes its approvers from another approval job asks where that one does", async () => {
  const ask = { name: "ask", type: "approval", spec: asking("dingtalk") };
  const again = { name: "again", type: "approval", spec: { source: "fromjob", job_name: "ask", description: "Sure?" } };
  await saved({ name: "shared", stages: [{ name: "ship", jobs: [ask, again] }] });
  const id = await tasks.started("shared", []);
  const place = (at: number): Place => ({
    ...ofJob,
    approval: ({ stages }) => stages[0]?.jobs[at]?.spec ?? {},
    status: ({ stages }) => stages[0]?.jobs[at]?.status ?? "",
  });
  for (const at of [0, 1]) {
    const code = await untilOpened("shared", id, place(at), "dingtalk");
    services.dingtalk.say(code, true, "");
    await hear("dingtalk", code);
  }
  const task = await tasks.end("shared", id);
  expect(task.status).toBe("passed");
  expect(task.stages[0]?.jobs[1]?.spec).toMatchObject({ type: "dingtalk", description: "Sure?" });
});
