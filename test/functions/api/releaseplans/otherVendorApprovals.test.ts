import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as follow } from "../../../../functions/triggers/plan-follower/handler.ts";
import { handler as reconcile } from "../../../../functions/triggers/reconciler/handler.ts";
import { findPlan } from "../../../../shared/releaseplans/records/plans.ts";
import { type ChatService, startDingtalk, startWorkwx } from "../../../harness/chatServices.ts";
import { envelopeOf, openedAnswer } from "../../../harness/envelopes.ts";
import { givenPlans, planBody, type ReleasePlans, type ShownPlan, textJob } from "../../../harness/releasePlans.ts";
import { waitFor } from "../../../harness/waitFor.ts";

let plans: ReleasePlans;
let services: Record<Vendor, ChatService>;
const apps = { workwx: "", dingtalk: "" };
type Vendor = keyof typeof apps;

beforeAll(async () => {
  const [workwx, dingtalk] = await Promise.all([startWorkwx(), startDingtalk()]);
  services = { workwx, dingtalk };
  plans = await givenPlans({ SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" });
  const add = async ({ app }: ChatService) =>
    (await plans.ok<{ id: string }>("POST", "/api/aslan/system/im-apps", app)).id;
  apps.workwx = await add(workwx);
  apps.dingtalk = await add(dingtalk);
});
afterAll(async () => {
  await plans.slipway.close();
  await Promise.all(Object.values(services).map(({ server }) => server.close()));
});

const path = "/openapi/release_plan/v1";
const person = (id: string) => ({ id, name: id.toUpperCase() });

function approvalBy(vendor: Vendor, changes: object = {}) {
  const approval_nodes = [
    { type: "AND", approve_users: [person("kim")] },
    { type: "OR", approve_users: [person("sam"), person("ann")] },
  ];
  const question = { approval_id: apps[vendor], default_approval_initiator: person("lee"), approval_nodes, ...changes };
  return { enabled: true, type: vendor, [`${vendor}_approval`]: question };
}

const codeOf = ({ approval }: ShownPlan, vendor: Vendor) =>
  (approval as unknown as Record<string, { instance_code: string }>)[`${vendor}_approval`]?.instance_code ?? "";
const until = (id: string, what: string, seen: (plan: ShownPlan) => boolean) =>
  waitFor(`plan ${id} to be ${what}`, async () => {
    await reconcile();
    const plan = await plans.read(id);
    return seen(plan) && plan;
  });
async function waiting(vendor: Vendor): Promise<{ id: string; code: string }> {
  const id = await plans.make();
  await plans.replace(id, { jobs: [textJob("tell")], approval: approvalBy(vendor) });
  await plans.move(id, "finish_planning", "wait_for_approval");
  return { id, code: codeOf(await until(id, "asked", (plan) => codeOf(plan, vendor) !== ""), vendor) };
}
const details = async (id: string) => {
  const log = await plans.ok<{ list: { detail: string }[] }>("GET", `${path}/${id}/logs`);
  return log.list.map(({ detail }) => detail).reverse();
};
const look = async (id: string) => follow({ planId: id, look: (await findPlan(id))?.approval?.instanceCode ?? "" });

/** Calls back as the service does. */
function hear(vendor: Vendor, code: string, keys?: Parameters<ChatService["callback"]>[1]) {
  const { query, body, headers } = services[vendor].callback(code, keys);
  const address = `/api/aslan/system/${vendor}/${apps[vendor]}/webhook${query}`;
  return plans.slipway.call<Parameters<typeof openedAnswer>[0]>("POST", address, { token: null, body, headers });
}

describe.each(["workwx", "dingtalk"] as const)("a plan that %s approves", (vendor) => {
  test("is executed when a callback says so and a look agrees; twice is as once", async () => {
    const { id, code } = await waiting(vendor);
    services[vendor].say(code, true, "fine");
    expect((await hear(vendor, code, { verification_token: "another" })).status).toBe(403);
    expect((await hear(vendor, code, { encrypt_key: "a".repeat(43) })).status).toBe(403);
    expect((await plans.read(id)).status).toBe("wait_for_approval");
    const answers = await Promise.all([hear(vendor, code), hear(vendor, code)]);
    for (const { status, text, json } of answers)
      expect([status, vendor === "workwx" ? text : openedAnswer(json)]).toEqual([200, "success"]);
    const plan = await until(id, "executing", ({ status }) => status === "executing");
    expect(plan.approval).toMatchObject({
      ...{ status: "passed", type: vendor },
      [`${vendor}_approval`]: {
        approval_nodes: [
          { reject_or_approve: "approve", approve_users: [{ comment: "fine", operation_time: 1760000000 }] },
          {},
        ],
      },
    });
    const log = await details(id);
    expect(log).toContain(`approved in ${services[vendor].name} by KIM: fine`);
    await hear(vendor, code);
    await look(id);
    expect(await details(id)).toEqual(log);
  });

  test("is denied by a look when nobody called back", async () => {
    const { id, code } = await waiting(vendor);
    services[vendor].say(code, false, "not today");
    await look(id);
    expect((await plans.read(id)).status).toBe("denied");
    expect(await details(id)).toContain(`rejected in ${services[vendor].name} by KIM: not today`);
  });

  test("is asked once although the answer of the first try was lost, with a token that counted no more", async () => {
    services[vendor].forgetTokens();
    services[vendor].nextOpening("drop", true);
    const { id, code } = await waiting(vendor);
    const round = (await findPlan(id))?.approval?.instanceCode ?? "";
    expect(services[vendor].opened(`${id}-${round}`)).toEqual([code]);
  });

  test("waits while there are too many calls, and goes back to the end of planning for what is refused", async () => {
    const busy =
      vendor === "workwx" ? { errcode: 45009, errmsg: "freq" } : { code: "Forbidden.AccessDenied.QpsLimitForApi" };
    services[vendor].nextOpening({ status: 200, body: busy });
    const { id } = await waiting(vendor);
    await plans.move(id, "planning", "finish_planning");
    services[vendor].nextOpening(services[vendor].refusal);
    await plans.move(id, "wait_for_approval");
    await until(id, "back", ({ status }) => status === "finish_planning");
    expect((await details(id)).at(-1)).toContain(`the approval cannot be opened in ${services[vendor].name}: `);
  });

  test("is refused when it is saved with a form that is not there", async () => {
    const { id } = await plans.ok<{ id: string }>("POST", "/api/aslan/system/im-apps", {
      ...services[vendor].app,
      ...{ app_id: "another", template_id: "another" },
    });
    const plan = await plans.make();
    const body = planBody({ approval: approvalBy(vendor, { approval_id: id }) });
    const refused = await plans.refused("PATCH", `${path}/${plan}`, body);
    expect(refused.json.description).toContain(`approval.${vendor}_approval.approval_id: lintApproval error: `);
  });
});

test("DingTalk takes an approval back when the plan is let go, WeCom cannot and the log says so", async () => {
  const atDingtalk = await waiting("dingtalk");
  await plans.move(atDingtalk.id, "cancel");
  await waitFor("the instance to be taken back", async () => {
    return services.dingtalk.isTakenBack(atDingtalk.code);
  });
  const atWorkwx = await waiting("workwx");
  await plans.move(atWorkwx.id, "cancel");
  const said = await waitFor("a word", async () =>
    (await details(atWorkwx.id)).find((one) => one.includes("stays open")),
  );
  expect(said).toContain(`${atWorkwx.code} stays open there`);
});

test("WeCom's check of the address is answered in plain text, DingTalk's in an envelope", async () => {
  const { timestamp, nonce, encrypted, signature } = envelopeOf("4711", "ww4711");
  const query = new URLSearchParams({ timestamp, nonce, msg_signature: signature, echostr: encrypted });
  const address = `/api/aslan/system/workwx/${apps.workwx}/webhook`;
  const check = (given: URLSearchParams) => plans.slipway.call("GET", `${address}?${given}`, { token: null });
  const answer = await check(query);
  expect([answer.status, answer.text]).toEqual([200, "4711"]);
  query.set("nonce", "another");
  expect((await check(query)).status).toBe(403);
  const foreign = envelopeOf("4711", "another company");
  const { timestamp: t, nonce: n, encrypted: e, signature: s } = foreign;
  expect((await check(new URLSearchParams({ timestamp: t, nonce: n, msg_signature: s, echostr: e }))).status).toBe(403);
  const checked = await hear("dingtalk", "");
  expect([checked.status, openedAnswer(checked.json)]).toEqual([200, "success"]);
});

test("DingTalk asks nobody twice", async () => {
  const id = await plans.make();
  const node = { type: "AND", approve_users: [person("kim")] };
  const approval = approvalBy("dingtalk", { approval_nodes: [node, node] });
  const refused = await plans.refused("PATCH", `${path}/${id}`, planBody({ approval }));
  expect(refused.json.description).toContain(
    "approval_nodes[1].approve_users: lintApproval error: kim is named in two nodes",
  );
});
