import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as reconcile } from "../../../../functions/triggers/reconciler/handler.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { dues, padded } from "../../../../shared/base/store/keys/keys.ts";
import type { Delivery } from "../../../../shared/integrations/notify/store/deliveries.ts";
import { rawItems } from "../../../harness/rawItems.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { type StatusHost, startStatusHost } from "../../../harness/statusHost.ts";
import { gate, makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { signed, type Vendor } from "./signed.ts";
import { success, triggerCalls } from "./triggerCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const secret = "the-secret-of-the-code-host";
const token = "token-of-the-code-host";
const vendors: readonly Vendor[] = ["github", "gitlab", "gitea", "gitee"];
let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let host: StatusHost;
const { call, settled } = triggerCalls(() => slipway);
const ids = new Map<string, number>();

async function addHost(alias: string, type: string, more: object = {}): Promise<void> {
  const body = { type, address: host.url, alias, auth_type: "token", access_token: token, webhook_secret: secret };
  const made = await slipway.call<{ id: number }>("POST", "/api/aslan/system/codehosts", {
    body: { ...body, ...more },
  });
  expect(made.status, made.text).toBe(200);
  ids.set(alias, made.json.id);
}

beforeAll(async () => {
  host = await startStatusHost(token);
  ({ slipway, tasks } = await startShop({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } }));
  for (const type of vendors) await addHost(type, type);
});

beforeEach(() => {
  host.isDown = false;
  host.next.length = 0;
});

afterAll(async () => {
  await slipway.close();
  await host.close();
});

/** A workflow that is started by pushes to the branch of its name; with `waits` it stops before its only stage. */
async function listening(name: string, alias: string, waits = false, events = ["push"]): Promise<void> {
  const stops = waits ? { manual_exec: { enabled: true, manual_exec_users: [] } } : {};
  await makeWorkflow("shop", { name, stages: [{ name: "one", ...stops, jobs: [gate("a")] }] });
  const main_repo = { codehost_id: ids.get(alias), repo_namespace: "team", repo_name: "web", branch: name };
  const body = { name: "git", main_repo: { ...main_repo, events } };
  expect((await call("POST", `/webhook/${name}`, { body })).json).toEqual(success);
}

let commits = 0;
const newCommit = () => {
  commits += 1;
  return String(commits).padStart(40, "c0ffee");
};

async function tell(vendor: Vendor, body: object): Promise<void> {
  const at = { path_with_namespace: "team/web", web_url: `${host.url}/team/web` };
  const repository = { full_name: "team/web", html_url: `${host.url}/team/web` };
  const text = JSON.stringify({ ...(vendor === "gitlab" ? { project: at } : { repository }), ...body });
  commits += 1;
  const headers = signed(vendor, text, "push", `call-${commits}`, secret);
  const answer = await slipway.call("POST", "/api/aslan/webhook", { token: null, body: text, headers });
  expect(answer.status, answer.text).toBe(202);
}

/** A push that starts the task of the workflow. @returns its commit */
async function pushed(vendor: Vendor, name: string): Promise<string> {
  const sha = newCommit();
  await tell(vendor, { object_kind: "push", ref: `refs/heads/${name}`, after: sha, commits: [] });
  expect(await settled(name)).toMatchObject([{ status: "started" }]);
  return sha;
}

interface Shown {
  event: string;
  type: string;
  target: string;
  status: string;
  tries: { problem: string }[];
}

async function sent(workflow: string): Promise<Shown[]> {
  const query = `projectKey=shop&workflowKey=${workflow}&taskId=1`;
  const { json } = await call<{ deliveries: Shown[] }>("GET", `/deliveries?${query}`);
  const found = json.deliveries.filter(({ type }) => type === "commit-status");
  // Within one second the list has no order.
  return found.sort((a, b) => Number(b.event === "created") - Number(a.event === "created"));
}

const allEnded = (workflow: string, count: number) =>
  waitFor(
    `${count} statuses of ${workflow} to be sent or given up`,
    async () => {
      const found = await sent(workflow);
      return found.length >= count && found.every(({ status }) => status !== "pending") && found;
    },
    30,
  );

const statesAt = (sha: string) => host.history.filter((one) => one.sha === sha).map(({ state }) => state);

describe.each(vendors)("a commit in %s", (vendor) => {
  const words = {
    github: { pending: "pending", passed: "success", cancelled: "error" },
    gitea: { pending: "pending", passed: "success", cancelled: "error" },
    gitlab: { pending: "pending", passed: "success", cancelled: "canceled" },
    gitee: { pending: "in_progress", passed: "success", cancelled: "cancelled" },
  }[vendor];

  test("shows how the task goes that it started, with a link", async () => {
    const name = `passing-${vendor}`;
    await listening(name, vendor);
    const sha = await pushed(vendor, name);
    expect(await tasks.end(name, 1)).toMatchObject({ status: "passed" });
    expect(await allEnded(name, 2)).toMatchObject([
      { event: "created", status: "sent", target: `team/web@${sha}` },
      { event: "passed", status: "sent", tries: [{ problem: "" }] },
    ]);
    expect(statesAt(sha)).toEqual([words.pending, words.passed]);
    const [shown, ...others] = host.statuses.filter((one) => one.sha === sha);
    expect(others).toEqual([]);
    expect(shown).toMatchObject({ context: `slipway/${name}/git`, description: "Task 1 passed" });
    const page = `${slipway.runtime.url}/console/v1/projects/detail/shop/pipelines/custom/${name}/1`;
    expect(shown?.link.split("?")[0]).toBe(page);
  });

  test("shows that it was cancelled, and the retry after", async () => {
    const name = `cancelled-${vendor}`;
    await listening(name, vendor, true);
    const sha = await pushed(vendor, name);
    await tasks.until(name, 1, "at its stage", ({ status }) => status === "pause");
    await allEnded(name, 1);
    await tasks.cancel(name, 1);
    await tasks.end(name, 1);
    await allEnded(name, 2);
    expect(statesAt(sha)).toEqual([words.pending, words.cancelled]);
    expect((await tasks.retry(name, 1)).status).toBe(200);
    await tasks.until(name, 1, "at its stage again", ({ status }) => status === "pause");
    await allEnded(name, 3);
    expect(statesAt(sha)).toEqual([words.pending, words.cancelled, words.pending]);
  });

  test("is told once more when an answer was lost, and shows one status", async () => {
    const name = `lost-${vendor}`;
    await listening(name, vendor);
    if (vendor === "gitee") host.next.push({ status: 200, body: [] });
    host.next.push("lost");
    const sha = await pushed(vendor, name);
    await tasks.end(name, 1);
    const found = await allEnded(name, 2);
    expect(found.map(({ event }) => event)).toEqual(["created", "passed"]);
    expect(host.statuses.filter((one) => one.sha === sha)).toMatchObject([{ state: words.passed }]);
  });
});

/** As if whoever was at a delivery had left it so. */
async function rewrite(workflow: string, event: string, heldUntil: number, changes: Partial<Delivery>): Promise<void> {
  const items = rawItems;
  const found = (await items.all()).find((one) => {
    const delivery = one.delivery as Delivery | undefined;
    return one.type === "delivery" && delivery?.workflowKey === workflow && delivery.event === event;
  });
  if (found === undefined) throw new Error(`nothing was told of ${event} in ${workflow}`);
  const delivery = { ...(found.delivery as Delivery), ...changes };
  const due = { duePk: dues.deliveries, dueSk: `${padded(heldUntil)}#${delivery.deliveryId}` };
  await items.put({ ...found, delivery, heldUntil, ...due });
}

describe("a status", () => {
  test("stands at the commit of an annotated tag, and not at the tag", async () => {
    await listening("tagged", "github", false, ["tag"]);
    const [tag, sha] = [newCommit(), newCommit()];
    await tell("github", { ref: "refs/tags/v7", after: tag, head_commit: { id: sha, message: "Seven" } });
    expect(await settled("tagged")).toMatchObject([{ status: "started", event: "tag" }]);
    await tasks.end("tagged", 1);
    await allEnded("tagged", 2);
    expect(statesAt(sha)).toEqual(["pending", "success"]);
    expect(statesAt(tag)).toEqual([]);
  });

  test("goes out in order: the end waits for a beginning that is under way", async () => {
    await listening("ordered", "github");
    const sha = newCommit();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    host.next.push(held);
    await tell("github", { ref: "refs/heads/ordered", after: sha, commits: [] });
    await settled("ordered");
    await tasks.end("ordered", 1);
    const both = await waitFor("the end to be told", async () => {
      const found = await sent("ordered");
      return found.length === 2 && found;
    });
    expect(both).toMatchObject([{ event: "created" }, { event: "passed", status: "pending", tries: [] }]);
    expect(statesAt(sha)).toEqual([]);
    release();
    expect(await allEnded("ordered", 2)).toMatchObject([{ status: "sent" }, { status: "sent" }]);
    expect(statesAt(sha)).toEqual(["pending", "success"]);
  });

  test.each([
    [401, "does not accept its access token"],
    [403, "may not set statuses at commits of team/web"],
    [404, "has no commit"],
    [422, "with HTTP 422"],
  ])("that the code host refuses with %i changes nothing of the task, and is told", async (status, problem) => {
    const name = `refused-${status}`;
    await listening(name, "github");
    host.next.push({ status, body: {} }, { status, body: {} });
    const sha = await pushed("github", name);
    expect(await tasks.end(name, 1)).toMatchObject({ status: "passed" });
    const found = await allEnded(name, 2);
    for (const one of found) {
      expect(one.status).toBe("failed");
      expect(one.tries).toHaveLength(1);
      expect(one.tries[0]?.problem).toContain(problem);
    }
    expect(statesAt(sha)).toEqual([]);
  });

  test("of a code host that is gone is tried again later, and the newest one is set when it is back", async () => {
    await listening("gone", "github", true);
    host.isDown = true;
    const sha = await pushed("github", "gone");
    await tasks.until("gone", 1, "at its stage", ({ status }) => status === "pause");
    await waitFor("three tries", async () => {
      const { tries = [] } = (await sent("gone"))[0] ?? {};
      return tries.length === 3 && tries.every(({ problem }) => problem.includes("cannot be reached"));
    });
    host.isDown = false;
    host.next.push({ status: 503, body: {} }, { status: 503, body: {} }, { status: 503, body: {} });
    await tasks.cancel("gone", 1);
    await tasks.end("gone", 1);
    const [, ended] = await waitFor("three tries of the end", async () => {
      const found = await sent("gone");
      return found[1]?.tries.length === 3 && found[1].tries.every(({ problem }) => problem.includes("503")) && found;
    });
    expect(ended).toMatchObject({ event: "cancelled", status: "pending" });
    await rewrite("gone", "cancelled", 0, {});
    await reconcile();
    expect(await allEnded("gone", 2)).toMatchObject([
      {
        event: "created",
        status: "failed",
        tries: [{}, {}, {}, { problem: "not sent: the task was cancelled since" }],
      },
      { event: "cancelled", status: "sent" },
    ]);
    expect(statesAt(sha)).toEqual(["error"]);
  });

  test("is sent by whoever finds it when its sender was killed", async () => {
    await listening("killed", "github");
    const sha = await pushed("github", "killed");
    await tasks.end("killed", 1);
    await allEnded("killed", 2);
    await rewrite("killed", "passed", nowSeconds() + 120, {
      status: "pending",
      partsSent: 0,
      tries: [{ at: nowSeconds() }],
    });
    await reconcile({ requestsEndedBefore: nowSeconds() + 1 });
    expect(await allEnded("killed", 2)).toMatchObject([{ status: "sent" }, { status: "sent", tries: [{}, {}] }]);
    expect(statesAt(sha)).toEqual(["pending", "success", "success"]);
  });

  test("of a code host without a token is told to be impossible", async () => {
    await addHost("by-password", "gitea", {
      auth_type: "password",
      access_token: "",
      username: "ada",
      password: "pass-4711",
    });
    await listening("by-password", "by-password");
    await pushed("gitea", "by-password");
    expect(await tasks.end("by-password", 1)).toMatchObject({ status: "passed" });
    const found = await allEnded("by-password", 2);
    expect(found[0]?.tries[0]?.problem).toMatch(/signs in with auth_type password/);
  });
});
