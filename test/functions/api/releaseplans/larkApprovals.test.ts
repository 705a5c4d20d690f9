import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as follow } from "../../../../functions/triggers/plan-follower/handler.ts";
import { handler as reconcile } from "../../../../functions/triggers/reconciler/handler.ts";
import { findPendingEffects } from "../../../../shared/releaseplans/records/pendingEffects.ts";
import { findPlan } from "../../../../shared/releaseplans/records/plans.ts";
import { type LarkStandIn, larkApp, larkCallback, larkEvent, startLarkServer } from "../../../harness/larkServer.ts";
import { givenPlans, planBody, type ReleasePlans, type ShownPlan, textJob } from "../../../harness/releasePlans.ts";
import { waitFor } from "../../../harness/waitFor.ts";

let plans: ReleasePlans;
let lark: LarkStandIn;
let appId: string;

beforeAll(async () => {
  lark = await startLarkServer();
  plans = await givenPlans({ SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" });
  const body = { type: "feishu", address: lark.url, ...larkApp };
  appId = (await plans.ok<{ id: string }>("POST", "/api/aslan/system/im-apps", body)).id;
});
afterAll(async () => {
  await plans.slipway.close();
  await lark.close();
});

const path = "/openapi/release_plan/v1";
const instancesPath = "/open-apis/approval/v4/instances";

function approvalBy(changes: object = {}) {
  return {
    ...{ enabled: true, type: "lark", description: "ship it" },
    lark_approval: {
      ...{ timeout: 60, approval_id: appId, default_approval_initiator: { id: "ou_lee", name: "Lee" } },
      approval_nodes: [
        { type: "AND", approve_users: [{ id: "ou_kim", name: "Kim" }] },
        { type: "OR", approve_users: [{ id: "ou_kim", name: "Kim" }, { id: "ou_sam" }] },
      ],
      ...changes,
    },
  };
}

async function asking(more: object = {}): Promise<string> {
  const id = await plans.make();
  await plans.replace(id, { jobs: [textJob("tell")], approval: approvalBy(), ...more });
  await plans.move(id, "finish_planning", "wait_for_approval");
  return id;
}

/** A plan that waits for its instance. */
async function waiting(more: object = {}): Promise<{ id: string; code: string }> {
  const id = await asking(more);
  const plan = await until(id, "asked", ({ approval }) => approval?.lark_approval?.instance_code !== "");
  return { id, code: plan.approval?.lark_approval?.instance_code ?? "" };
}

const until = (id: string, what: string, seen: (plan: ShownPlan) => boolean) =>
  waitFor(`plan ${id} to be ${what}`, async () => {
    const plan = await plans.read(id);
    return seen(plan) && plan;
  });
const details = async (id: string) => {
  const log = await plans.ok<{ list: { detail: string; username: string }[] }>("GET", `${path}/${id}/logs`);
  return log.list.map(({ username, detail }) => `${username}: ${detail}`).reverse();
};
const hear = (event: object, options?: Parameters<typeof larkCallback>[1], app = appId) =>
  plans.slipway.call<{ challenge?: string; description: string }>("POST", `/api/aslan/system/lark/${app}/webhook`, {
    token: null,
    ...larkCallback(event, options),
  });
const settled = (id: string) => waitFor("nothing to be owed", async () => (await findPendingEffects(id)).length === 0);
const roundOf = async (id: string) => (await findPlan(id))?.approval?.instanceCode ?? "";
const look = async (id: string) => follow({ planId: id, look: await roundOf(id) });

describe("a plan that Feishu approves", () => {
  test("is asked there once, and executed when a callback says so and a look agrees", async () => {
    const { id, code } = await waiting();
    const [asked] = lark.receivedOn(instancesPath).filter(({ body }) => String(body.uuid).startsWith(id));
    expect(asked?.body).toMatchObject({
      ...{ approval_code: larkApp.template_id, open_id: "ou_lee" },
      node_approver_open_id_list: [
        { key: "first", value: ["ou_kim"] },
        { key: "second", value: ["ou_kim", "ou_sam"] },
      ],
    });
    expect(JSON.parse(String(asked?.body.form))).toEqual([
      { id: "what", type: "textarea", value: expect.stringContaining("plan\nManager: lee\nship it") },
    ]);
    await settled(id);
    const schedule = plans.slipway.runtime.aws.schedules.get(`plan-${id}-look-${await roundOf(id)}-0`);
    expect(schedule?.definition.ScheduleExpression).toMatch(/^at\(/);

    lark.decide(code, "PENDING", { who: "ou_kim", type: "PASS", comment: "fine" });
    expect((await hear(larkEvent(code, "PENDING"))).status).toBe(200);
    const half = await until(id, "half approved", ({ approval }) => JSON.stringify(approval).includes("fine"));
    expect(half).toMatchObject({
      status: "wait_for_approval",
      approval: {
        ...{ status: "", type: "lark" },
        lark_approval: {
          ...{ approval_id: appId, instance_code: code },
          approval_nodes: [
            {
              reject_or_approve: "approve",
              approve_users: [{ id: "ou_kim", comment: "fine", operation_time: 1760000000 }],
            },
            { reject_or_approve: "", approve_users: [{ id: "ou_kim" }, { id: "ou_sam" }] },
          ],
        },
      },
    });
    lark.decide(code, "APPROVED", { who: "ou_sam", type: "PASS" });
    const event = larkEvent(code, "APPROVED");
    expect((await Promise.all([hear(event), hear(event)])).map(({ status }) => status)).toEqual([200, 200]);
    const approved = await until(id, "executing", ({ status }) => status === "executing");
    expect(approved).toMatchObject({ approval: { status: "passed" }, jobs: [{ status: "todo" }] });
    const log = await details(id);
    expect(log.slice(-5)).toEqual([
      `System: opened in Feishu as ${code}`,
      ...["System: approved in Feishu by Kim: fine", "System: approved in Feishu by ou_sam"],
      ...["System: approval passed", "System: approval passed"],
    ]);
    await hear(event);
    await look(id);
    expect(await details(id)).toEqual(log);
    expect(lark.receivedOn(instancesPath).filter(({ body }) => String(body.uuid).startsWith(id))).toHaveLength(1);
  });

  test("is denied with what people there say", async () => {
    const { id, code } = await waiting();
    const byCall = await plans.refused("POST", `${path}/${id}/approve`, { approve: true, comment: "" });
    expect(byCall.json.description).toBe("the plan is approved in Feishu, not by this call");
    lark.decide(code, "REJECTED", { who: "ou_kim", type: "REJECT", comment: "not today" });
    await hear(larkEvent(code, "REJECTED"));
    const denied = await until(id, "denied", ({ status }) => status === "denied");
    expect(denied.approval).toMatchObject({ status: "reject" });
    expect(await details(id)).toContain("System: rejected in Feishu by Kim: not today");
  });

  test("is not moved by callbacks that its app did not sign", async () => {
    const { id, code } = await waiting();
    lark.decide(code, "APPROVED");
    const event = larkEvent(code, "APPROVED");
    const before = await details(id);
    const refusals = [
      await hear(event, { encryptKey: "another key" }),
      await hear(event, { isSigned: false }),
      await hear({ ...event, token: "another" }),
      await hear(event, {}, "f".repeat(24)),
      await plans.slipway.call("POST", `/api/aslan/system/lark/${appId}/webhook`, { token: null, body: event }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect((await plans.read(id)).status).toBe("wait_for_approval");
    expect(await details(id)).toEqual(before);
  });

  test("answers the check of the address", async () => {
    const check = { type: "url_verification", challenge: "4711" };
    expect((await hear(check, { isSigned: false })).json).toEqual({ challenge: "4711" });
    expect((await hear(check)).json).toEqual({ challenge: "4711" });
    expect((await hear({ ...check, token: "another" }, { isSigned: false })).status).toBe(403);
  });

  test("is looked up when nobody calls back, and says when nobody will decide it any more", async () => {
    const passed = await waiting();
    await look(passed.id);
    expect((await plans.read(passed.id)).status).toBe("wait_for_approval");
    lark.decide(passed.code, "APPROVED");
    await look(passed.id);
    expect((await plans.read(passed.id)).status).toBe("executing");
    const taken = await waiting();
    lark.decide(taken.code, "CANCELED");
    await hear(larkEvent(taken.code, "REVERTED"));
    const left = await until(taken.id, "cancelled there", ({ approval }) => approval?.status === "cancelled");
    expect(left.status).toBe("wait_for_approval");
    await plans.move(taken.id, "planning", "finish_planning", "wait_for_approval");
    await until(taken.id, "asked anew", ({ approval }) => {
      const code = approval?.lark_approval?.instance_code ?? "";
      return code !== "" && code !== taken.code;
    });
  });
});

describe("an approval that is let go", () => {
  test.each([
    ["cancelled", async (id: string) => void (await plans.move(id, "cancel"))],
    ["planned again", async (id: string) => void (await plans.move(id, "planning"))],
    ["deleted", async (id: string) => void (await plans.ok("DELETE", `${path}/${id}`))],
  ])("because the plan is %s is taken back there", async (_, leave) => {
    const { id, code } = await waiting();
    await leave(id);
    await waitFor("the instance to be taken back", async () => lark.instances.get(code)?.status === "CANCELED");
    await hear(larkEvent(code, "CANCELED"));
    await settled(id);
  });

  test("is taken back once the service answers again", async () => {
    const { id, code } = await waiting();
    const before = lark.received.length;
    lark.isDown = true;
    await plans.move(id, "cancel");
    await waitFor("a try", async () => lark.received.length > before);
    lark.isDown = false;
    await waitFor("the instance to be taken back", async () => {
      await reconcile();
      return lark.instances.get(code)?.status === "CANCELED";
    });
    await settled(id);
  });

  test("at the moment that it is approved ends in one of both", async () => {
    const { id, code } = await waiting();
    lark.decide(code, "APPROVED");
    const cancel = plans.slipway.call("POST", `${path}/${id}/status/cancel`, { token: plans.lee.token });
    await Promise.all([cancel, hear(larkEvent(code, "APPROVED")), hear(larkEvent(code, "APPROVED"))]);
    const { status } = await until(id, "decided", (plan) => plan.status !== "wait_for_approval");
    const log = await details(id);
    const passed = log.filter((one) => one.includes("approval passed"));
    if (status === "cancel") expect([0, 2]).toContain(passed.length);
    else expect([status, passed.length]).toEqual(["executing", 2]);
  });
});

describe("opening an approval", () => {
  test("is tried again while the service is down, and makes one instance although an answer was lost", async () => {
    const made = await plans.make();
    const content = { jobs: [textJob("tell")], approval: approvalBy() };
    lark.isDown = true;
    const refused = await plans.refused("PATCH", `${path}/${made}`, planBody(content));
    expect(refused.json.description).toContain("approval_id: lintApproval error: Feishu cannot be asked: 127.0.0.1");
    lark.isDown = false;
    await plans.replace(made, content);
    await plans.move(made, "finish_planning");
    lark.next.push({ path: instancesPath, reply: "drop", doesIt: true });
    await plans.move(made, "wait_for_approval");
    await waitFor("a word in the log", async () =>
      (await details(made)).some((one) => one.includes("cannot be opened in Feishu yet and is tried again")),
    );
    await waitFor("the instance", async () => {
      await reconcile();
      return (await plans.read(made)).approval?.lark_approval?.instance_code !== "";
    });
    expect([...lark.instances.values()].filter(({ uuid }) => uuid.startsWith(made))).toHaveLength(1);
    await settled(made);
  });

  test("asks for a new token when the old one counts no more, and again when it was too much at once", async () => {
    lark.forgetTokens();
    lark.next.push({
      path: instancesPath,
      reply: { status: 200, body: { code: 99991400, msg: "request trigger frequency limit" } },
    });
    const id = await asking();
    await waitFor("the instance", async () => {
      await reconcile();
      return (await plans.read(id)).approval?.lark_approval?.instance_code !== "";
    });
    lark.forgetTokens();
    await plans.move(id, "cancel");
    const mine = () => [...lark.instances.values()].find(({ uuid }) => uuid.startsWith(id));
    await waitFor("the instance to be taken back", async () => mine()?.status === "CANCELED");
  });

  test("leads back to the end of planning when the service refuses it, and says why", async () => {
    const reply = { status: 200, body: { code: 1390001, msg: "param is invalid" } };
    lark.next.push({ path: instancesPath, reply });
    const id = await asking();
    await until(id, "back", ({ status }) => status === "finish_planning");
    expect(await details(id)).toContain(
      "System: the approval cannot be opened in Feishu: the chat service answered code 1390001: param is invalid",
    );
    await settled(id);
    await plans.move(id, "wait_for_approval");
    await until(id, "asked", ({ approval }) => approval?.lark_approval?.instance_code !== "");
  });
});

describe("what cannot be asked there", () => {
  const person = (id: string) => ({ id, name: "x" });
  const one = (changes: object) => [
    { type: "AND", approve_users: [person("ou_kim")], ...changes },
    { type: "OR", approve_users: [person("ou_kim")] },
  ];
  test.each([
    ["approval_id", { approval_id: "f".repeat(24) }, "no chat app of the settings"],
    ["default_approval_initiator", { default_approval_initiator: null }, "in whose name"],
    ["default_approval_initiator", { default_approval_initiator: person("kim") }, "is not an open_id"],
    ["approval_nodes", { approval_nodes: [] }, "name who approves"],
    ["approval_nodes", { approval_nodes: one({}).slice(0, 1) }, "the form has 2 nodes"],
    ["approval_nodes[0].type", { approval_nodes: one({ type: "SEQUENTIAL" }) }, "SEQUENTIAL cannot be asked"],
    ["approval_nodes[0].type", { approval_nodes: one({ type: "OR" }) }, "the form's node is AND"],
    ["approval_nodes[0].approve_users", { approval_nodes: one({ approve_users: [] }) }, "name who approves"],
    ["approval_nodes[0].approve_users[0].id", { approval_nodes: one({ approve_users: [person("kim")] }) }, "open_id"],
    ["approval_nodes[0].cc_users", { approval_nodes: one({ cc_users: [person("ou_a")] }) }, "cannot be asked"],
  ])("is refused when the plan is saved, naming %s: %j", async (field, changes, says) => {
    const id = await plans.make();
    const refused = await plans.refused("PATCH", `${path}/${id}`, planBody({ approval: approvalBy(changes) }));
    expect(refused.json.description).toContain(`approval.lark_approval.${field}: lintApproval error: `);
    expect(refused.json.description).toContain(says);
  });

  test("is refused where it stands beside the question, and where the form cannot be filled in", async () => {
    const id = await plans.make();
    const refuse = async (approval: object) =>
      (await plans.refused("PATCH", `${path}/${id}`, planBody({ approval }))).json.description;
    expect(await refuse({ ...approvalBy(), forbid_self_approval: true })).toContain("approval.forbid_self_approval");
    expect(await refuse({ ...approvalBy(), type: "pager" })).toContain("invalid approval type pager");
    expect(await refuse({ enabled: true, type: "lark" })).toContain("approval.lark_approval: lintApproval error");
    expect(await refuse({ ...approvalBy(), type: "lark_intl" })).toContain("approval_id");
    const { form } = lark.definition;
    lark.definition.form = [...form, { id: "cost", name: "Cost", type: "amount", required: true }];
    expect(await refuse(approvalBy())).toContain("the form requires Cost of type amount");
    lark.definition.form = form;
    await plans.replace(id, { approval: { ...approvalBy({ approval_nodes: [] }), enabled: false } });
  });
});
