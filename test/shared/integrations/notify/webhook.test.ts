import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as reconciler } from "../../../../functions/triggers/reconciler/handler.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { keys, padded } from "../../../../shared/base/store/keys/keys.ts";
import { announce } from "../../../../shared/integrations/notify/announce.ts";
import { sendCallback } from "../../../../shared/integrations/notify/sendCallback.ts";
import { sendDelivery } from "../../../../shared/integrations/notify/sendDelivery.ts";
import { type HookReceiver, startHookReceiver } from "../../../harness/hookReceiver.ts";
import { type RawItem, rawItems } from "../../../harness/rawItems.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { deliveriesOf, ended, freshNotice, tell } from "./deliveries.ts";

let slipway: Slipway;
let receiver: HookReceiver;

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  receiver = await startHookReceiver();
});

afterAll(async () => {
  await slipway.close();
  await receiver.close();
});

const hook = (path: string, more: object = {}) => ({
  webhook_type: "webhook",
  webhook_notification_config: { address: receiver.url + path, ...more },
});

/** HMAC by another implementation than the sender's. */
async function hmac(secret: string, text: string): Promise<string> {
  const encode = (part: string) => new TextEncoder().encode(part);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encode(secret), algorithm, false, ["sign"]);
  return Buffer.from(await crypto.subtle.sign("HMAC", key, encode(text))).toString("hex");
}

async function expectSignature(header: unknown, secret: string, body: string): Promise<void> {
  const [, time = "", signature = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(header)) ?? [];
  expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(30);
  expect(signature).toBe(await hmac(secret, `${time}.${body}`));
}

describe("a webhook", () => {
  test("gets the payload with the headers of the contract and a signature, and the delivery is recorded", async () => {
    const notice = freshNotice();
    await tell(notice, [hook("/first?key=K", { token: "T0KEN" })]);
    const [call] = await receiver.receivedOn("/first?key=K", 1);
    expect(call?.method).toBe("POST");
    expect(call?.headers).toMatchObject({
      "content-type": "application/json",
      "x-zadig-token": "T0KEN",
      "x-zadig-instance": "https://slipway.example.com",
      "x-zadig-event": "workflow",
    });
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(call?.headers["x-zadig-event-uuid"]).toMatch(uuid);
    expect(call?.headers["x-zadig-webhook-uuid"]).toMatch(uuid);
    expect(JSON.parse(call?.body ?? "")).toMatchObject({
      object_kind: "workflow",
      event: "workflow",
      workflow: { task_id: notice.taskId, status: "failed" },
    });
    await expectSignature(call?.headers["x-slipway-signature"], "T0KEN", call?.body ?? "");

    const [delivery] = await ended(notice, 1);
    expect(delivery).toMatchObject({
      ...{ type: "webhook", event: "failed", index: 0, status: "sent", target: new URL(receiver.url).host },
      eventUuid: call?.headers["x-zadig-event-uuid"],
      tries: [{ problem: "" }],
    });
  });

  test("is signed with its secret when it has one, and not at all with neither", async () => {
    const notice = freshNotice();
    await tell(notice, [hook("/secret", { token: "t", secret: "s3cret" }), hook("/nothing")]);
    const [signed] = await receiver.receivedOn("/secret", 1);
    await expectSignature(signed?.headers["x-slipway-signature"], "s3cret", signed?.body ?? "");
    const [bare] = await receiver.receivedOn("/nothing", 1);
    expect(bare?.headers["x-slipway-signature"]).toBeUndefined();
    expect(bare?.headers["x-zadig-token"]).toBe("");
  });

  test("hears of an event once, however often it is announced", async () => {
    const notice = freshNotice();
    const ctls = [hook("/once")];
    await Promise.all([tell(notice, ctls), tell(notice, ctls)]);
    await ended(notice, 1);
    await tell(notice, ctls);
    const [delivery] = await ended(notice, 1);
    if (delivery !== undefined) expect(await sendDelivery(delivery)).toBeUndefined();
    expect((await receiver.receivedOn("/once", 1)).length).toBe(1);
  });

  test("hears of a retried task again", async () => {
    const notice = freshNotice();
    await tell(notice, [hook("/retried")]);
    await tell({ ...notice, attempt: 2 }, [hook("/retried")]);
    expect((await receiver.receivedOn("/retried", 2)).length).toBe(2);
    expect((await ended(notice, 2)).map(({ attempt }) => attempt).sort()).toEqual([1, 2]);
  });

  test("that answers an error is asked three times with the same ids, and then given up", async () => {
    const notice = freshNotice();
    receiver.next.push({ status: 500 }, { status: 404 }, { status: 503 });
    await tell(notice, [hook("/failing")]);
    const calls = await receiver.receivedOn("/failing", 3);
    for (const name of ["x-zadig-event-uuid", "x-zadig-webhook-uuid"])
      expect(new Set(calls.map(({ headers }) => headers[name])).size).toBe(1);
    const [delivery] = await ended(notice, 1);
    expect(delivery?.status).toBe("failed");
    expect(delivery?.tries.map(({ problem }) => problem)).toEqual([
      "answered HTTP 500",
      "answered HTTP 404",
      "answered HTTP 503",
    ]);
  });

  test("that answers at the second try got it", async () => {
    const notice = freshNotice();
    receiver.next.push({ status: 302 });
    await tell(notice, [hook("/second")]);
    await receiver.receivedOn("/second", 2);
    const [delivery] = await ended(notice, 1);
    expect(delivery).toMatchObject({
      status: "sent",
      tries: [{ problem: /redirects are not followed/ }, { problem: "" }].map(({ problem }) => ({
        problem: expect.stringMatching(problem),
      })),
    });
  });

  test.each([
    ["http://169.254.169.254/latest/meta-data", "169.254.169.254"],
    ["https://10.0.0.1/x", "10.0.0.1"],
    ["ftp://files.example.com/x", "files.example.com"],
    ["nonsense", "nonsense"],
    ["", "no address is set"],
  ])("at the address %s is refused at once, with the reason", async (address, reason) => {
    const notice = freshNotice();
    await tell(notice, [{ webhook_type: "webhook", webhook_notification_config: { address } }]);
    const [delivery] = await ended(notice, 1);
    expect(delivery).toMatchObject({ status: "failed", tries: [{ problem: expect.stringContaining(reason) }] });
  });

  test("whose token no header can carry fails with a sentence", async () => {
    const notice = freshNotice();
    await tell(notice, [hook("/never", { token: "a\nb" })]);
    const [delivery] = await ended(notice, 1);
    expect(delivery?.tries).toMatchObject([{ problem: "the token has characters that a header cannot carry" }]);
  });
});

describe("announcing", () => {
  test("never fails, whatever the settings are", async () => {
    const notice = freshNotice();
    const ctls = [
      "text",
      null,
      { enabled: true, webhook_type: 7 },
      { enabled: true, webhook_type: "mail", notify_type: ["failed"] },
    ];
    await announce({ notice: async () => notice, level: "task", event: "failed", ctls, render: () => "" });
    const [delivery] = await ended(notice, 1);
    expect(delivery).toMatchObject({
      index: 3,
      status: "failed",
      tries: [{ problem: "there is nobody to send it to" }],
    });
  });

  test("about one job records it apart from the task", async () => {
    const notice = freshNotice();
    const job = notice.stages[1]?.jobs[0];
    if (job === undefined) throw new Error("the notice has no job");
    await tell({ ...notice, job }, [hook("/job")]);
    await tell(notice, [hook("/job")]);
    expect((await ended(notice, 2)).map(({ jobName }) => jobName).sort()).toEqual(["", job.name]);
  });

  test("leaves no address, token or secret in the clear: not in the table, in invocations or in the log", async () => {
    const notice = freshNotice();
    const marker = "M4RKER";
    await tell(notice, [
      hook(`/${marker}-path`, { token: `${marker}-token`, secret: `${marker}-secret` }),
      { webhook_type: "dingding", dingding_webhook: `https://127.0.0.1:9/${marker}?access_token=${marker}` },
    ]);
    await ended(notice, 2);
    const items = rawItems;
    expect(JSON.stringify(await items.all())).not.toContain(marker);
    const files = readdirSync(slipway.dataDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    expect(files.length).toBeGreaterThan(3);
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name)).includes(marker), name).toBe(false);
  });
});

describe("what a crash left behind", () => {
  /** Records without sending: the notifier cannot be started, as when the process ends right after the record. */
  async function recordOnly(notice: ReturnType<typeof freshNotice>, path: string): Promise<RawItem> {
    const before = process.env.SLIPWAY_FUNCTION_PREFIX;
    const { removeConfig } = await import("../../../../shared/base/settings/config.ts");
    process.env.SLIPWAY_FUNCTION_PREFIX = "nowhere-";
    removeConfig();
    await tell(notice, [hook(path)]);
    if (before === undefined) delete process.env.SLIPWAY_FUNCTION_PREFIX;
    else process.env.SLIPWAY_FUNCTION_PREFIX = before;
    removeConfig();
    const [delivery] = await deliveriesOf(notice);
    if (delivery === undefined) throw new Error("nothing was recorded");
    const items = rawItems;
    const item = await items.get(keys.delivery(delivery, delivery.taskRecordId, delivery.deliveryId));
    if (item === undefined) throw new Error("the record is not there");
    return item;
  }

  test("is sent by the reconciler's next run", async () => {
    const notice = freshNotice();
    await recordOnly(notice, "/left");
    await reconciler();
    await receiver.receivedOn("/left", 1);
    expect(await ended(notice, 1)).toMatchObject([{ status: "sent" }]);
  });

  test("in the middle of a try is left alone while somebody may be at it, and counted as a try after", async () => {
    const notice = freshNotice();
    const item = await recordOnly(notice, "/held");
    const [delivery] = await deliveriesOf(notice);
    if (delivery === undefined) throw new Error("nothing was recorded");
    const tried = { ...delivery, tries: [{ at: 1 }] };
    const items = rawItems;
    await items.put({ ...item, delivery: tried, heldUntil: Math.floor(Date.now() / 1000) + 60 });
    expect(await sendDelivery(delivery)).toBeUndefined();
    await items.put({ ...item, delivery: tried, heldUntil: 1 });
    expect(await sendDelivery(delivery)).toBe("sent");
    expect((await ended(notice, 1))[0]?.tries).toEqual([{ at: 1 }, { at: expect.any(Number), problem: "" }]);
    await items.put({ ...item, delivery: { ...delivery, tries: [{ at: 1 }, { at: 2 }, { at: 3 }] }, heldUntil: 1 });
    expect(await sendDelivery(delivery)).toBe("failed");
  });

  test("in the middle of a try, by a program that was killed, is sent when the next one starts", async () => {
    const notice = freshNotice();
    const item = await recordOnly(notice, "/restarted");
    const [delivery] = await deliveriesOf(notice);
    if (delivery === undefined) throw new Error("nothing was recorded");
    const now = nowSeconds();
    const heldUntil = now + 118;
    const dueSk = String(item.dueSk).replace(/^\d+/, padded(heldUntil));
    const items = rawItems;
    await items.put({ ...item, delivery: { ...delivery, tries: [{ at: now - 2 }] }, heldUntil, dueSk });
    // Taken in the second in which the program started, it may be the program's own.
    expect(await sendDelivery(delivery, now - 2)).toBeUndefined();
    await reconciler({ requestsEndedBefore: now });
    await receiver.receivedOn("/restarted", 1);
    expect(await ended(notice, 1)).toMatchObject([{ status: "sent" }]);
  });
});

describe("the system-wide hook", () => {
  const path = "/api/aslan/system/webhook/workflow";

  test("is told of starts and ends as they were asked for, with its secret as token and signature", async () => {
    const wanted = { enabled: true, address: `${receiver.url}/system`, events: ["complete_execute", "start_execute"] };
    expect((await slipway.call("POST", path, { body: { ...wanted, secret: "SYS" } })).json).toEqual({
      message: "success",
    });
    const notice = freshNotice();
    for (const event of ["created", "reject", "pause", "passed"] as const) await tell(notice, [], { event });
    const calls = await receiver.receivedOn("/system", 2);
    expect(calls.map(({ headers }) => headers["x-zadig-event"]).sort()).toEqual(["complete_execute", "start_execute"]);
    for (const { headers, body } of calls) {
      expect(JSON.parse(body).event).toBe(headers["x-zadig-event"]);
      expect(headers["x-zadig-token"]).toBe("SYS");
      await expectSignature(headers["x-slipway-signature"], "SYS", body);
    }
    expect((await ended(notice, 2)).map(({ index }) => index)).toEqual([-1, -1]);
  });

  test("is not told of an event that nobody asked for, nor when it is disabled", async () => {
    const body = { enabled: true, address: `${receiver.url}/system2`, events: ["start_execute"] };
    await slipway.call("POST", path, { body });
    const notice = freshNotice();
    await tell(notice, [], { event: "passed" });
    await slipway.call("POST", path, { body: { ...body, enabled: false } });
    await tell(notice, [], { event: "created" });
    expect(await deliveriesOf(notice)).toEqual([]);
  });
});

describe("the callback of a legacy task", () => {
  const callback = {
    ...{ callbackVars: { build: 7 }, status: "passed", taskId: 3, workflowName: "ship", error: "" },
    images: [{ image: "r/x:1", serviceName: "x", registryRepo: "r" }],
  };
  const about = (notice: ReturnType<typeof freshNotice>) => ({
    ...notice,
    projectKey: "shop",
    workflowKey: "ship-shop",
  });

  test("goes to the decoded address without token and signature, and only 200 counts", async () => {
    const notice = freshNotice();
    receiver.next.push({ status: 204 });
    await sendCallback(about(notice), {
      ...callback,
      secret: "",
      callbackUrl: encodeURIComponent(`${receiver.url}/legacy?a=1`),
    });
    const calls = await receiver.receivedOn("/legacy?a=1", 2);
    expect(JSON.parse(calls[0]?.body ?? "")).toEqual({
      ...{ status: "passed", task_id: 3, workflow_name: "ship", error: "", vars: { build: 7 } },
      images: [{ image: "r/x:1", service_name: "x", registry_repo: "r" }],
    });
    expect(Object.keys(calls[0]?.headers ?? {}).filter((name) => name.startsWith("x-"))).toEqual([]);
    expect(await ended(notice, 1)).toMatchObject([
      { type: "callback", status: "sent", tries: [{ problem: "answered HTTP 204; only 200 counts" }, { problem: "" }] },
    ]);
  });
});
