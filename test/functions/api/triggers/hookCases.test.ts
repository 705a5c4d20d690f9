import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Slipway } from "../../../harness/slipway.ts";
import { gate, makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { signed, type Vendor } from "./signed.ts";
import { success, triggerCalls } from "./triggerCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

interface Case {
  vendor: Vendor;
  address: string;
  repository: string;
  trigger: { branch: string; events: string[]; auto_cancel: boolean };
  calls: { event: string; body: object; tasks: number; why?: string }[];
}

const folder = new URL("../../../shared/workflows/triggers/cases/webhooks/", import.meta.url);
const files = readdirSync(folder).sort();
let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
const { call, allDeliveries, replay } = triggerCalls(() => slipway);

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

/** A code host with a secret of its own, a workflow whose task waits, and a trigger that listens to it. */
async function listening(
  name: string,
  { vendor, address, repository, trigger }: Omit<Case, "calls">,
  more: object = {},
) {
  const host = {
    type: vendor,
    address,
    alias: name,
    auth_type: "token",
    access_token: "t",
    webhook_secret: `of-${name}`,
  };
  const made = await slipway.call<{ id: number }>("POST", "/api/aslan/system/codehosts", { body: host });
  const waits = { manual_exec: { enabled: true, manual_exec_users: [] } };
  const stages = [{ name: "one", ...waits, jobs: [gate("a")] }];
  await makeWorkflow("shop", { name, concurrency_limit: -1, stages });
  const [repo_namespace, repo_name] = repository.split("/");
  const { branch, events, auto_cancel } = trigger;
  const main_repo = { codehost_id: made.json.id, repo_namespace, repo_name, branch, events };
  const body = { name: "git", main_repo, auto_cancel, ...more };
  expect((await call("POST", `/webhook/${name}`, { body })).json).toEqual(success);
  return body;
}

let sent = 0;

async function tell(name: string, vendor: Vendor, event: string, body: object) {
  const text = JSON.stringify(body);
  sent += 1;
  const headers = signed(vendor, text, event, `case-${sent}`, `of-${name}`);
  const path = "/api/aslan/webhook";
  return slipway.call<{ delivery_id: string; problem?: string }>("POST", path, { token: null, body: text, headers });
}

/** Once none is about to start. */
async function started(name: string) {
  const found = await vi.waitUntil(
    async () => {
      const all = await allDeliveries(name);
      return all.every(({ status }) => status !== "accepted") && all;
    },
    { timeout: 30_000 },
  );
  return found.filter(({ status }) => status === "started");
}

describe("calls of a code host", () => {
  test.for(files)("%s", async (file) => {
    const given: Case = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
    const name = file.replace(".json", "");
    await listening(name, given);
    for (const { event, body, tasks: right, why = "" } of given.calls) {
      const before = (await allDeliveries(name)).length;
      const answer = await tell(name, given.vendor, event, body);
      expect(answer.status).toBe(202);
      expect([event, why, (await started(name)).length]).toEqual([event, why, right]);
      if (event === "ping") expect(answer.json.problem).toBe("this event starts nothing");
      else expect(await allDeliveries(name)).toHaveLength(before + 1);
    }
    if (given.trigger.auto_cancel) expect(await tasks.read(name, 1)).toMatchObject({ status: "pause" });
  });

  const place = (name: string) => ({
    id: 1,
    full_name: `team/${name}`,
    html_url: `https://github.example.com/team/${name}`,
  });
  const given = (name: string, events: string[], auto_cancel = false) => ({
    ...{ vendor: "github" as const, address: "https://github.example.com", repository: `team/${name}` },
    trigger: { branch: "main", events, auto_cancel },
  });
  const pull = (name: string, action: string, head: object = place(name), more: object = {}) => ({
    action,
    pull_request: {
      ...{ number: 7, title: "Add it", user: { login: "ada" }, base: { ref: "main", repo: place(name) } },
      head: { ref: "topic", sha: "c0ffee".padEnd(40, "0"), repo: head },
    },
    repository: place(name),
    ...more,
  });
  const push = (name: string, branch: string, message = "Fix it") => ({
    ...{ ref: `refs/heads/${branch}`, after: "c0ffee".padEnd(40, "0"), repository: place(name) },
    head_commit: { id: "c0ffee".padEnd(40, "0"), message },
  });

  test("that start nothing say why, in the list and in the answer; a replay goes by the trigger as it is then", async () => {
    const trigger = await listening("why", given("why", ["push"]));
    const other = await tell("why", "github", "push", push("why", "dev"));
    expect(other.json.problem).toBe("branch dev is not main");
    await tell("why", "github", "push", { ...push("why", "main"), ref: "refs/tags/v1" });
    await tell("why", "github", "push", push("why", "main", "Release [skip ci]"));
    expect(
      (await allDeliveries("why")).map(({ status, event, problem, task_id }) => [status, event, problem, task_id]),
    ).toEqual([
      ["ignored", "push", "the message of commit c0ffee000000 says [skip ci]", 0],
      ["ignored", "tag", "it does not listen to tag", 0],
      ["ignored", "push", "branch dev is not main", 0],
    ]);
    const refused = await replay("why", other.json.delivery_id);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining("it starts nothing: branch dev is not main"),
    ]);
    const main_repo = { ...trigger.main_repo, branch: "dev" };
    expect((await call("PUT", "/webhook/why", { body: { ...trigger, main_repo } })).json).toEqual(success);
    expect((await replay("why", other.json.delivery_id)).status).toBe(202);
    expect(await started("why")).toMatchObject([{ event: "push", replay_of: other.json.delivery_id }]);
    const nobody = await tell("why", "github", "push", push("else", "main"));
    expect([nobody.status, nobody.json.problem]).toEqual([202, "no trigger that this concerns listens to team/else"]);
  });

  test("of forks start where the trigger allows it, and say so to its jobs", async () => {
    const fork = { id: 2, full_name: "dev2/forked", html_url: "https://github.example.com/dev2/forked" };
    const trigger = await listening("forked", given("forked", ["pull_request"]));
    const refused = await tell("forked", "github", "pull_request", pull("forked", "opened", fork));
    expect(refused.json.problem).toContain("pull request 7 comes from the fork dev2/forked; with allow_forks: true");
    expect((await replay("forked", refused.json.delivery_id)).status).toBe(400);
    expect((await call("PUT", "/webhook/forked", { body: { ...trigger, allow_forks: true } })).json).toEqual(success);
    expect((await call("GET", "/webhook?workflowName=forked")).json).toMatchObject([{ allow_forks: true }]);
    await tell("forked", "github", "pull_request", pull("forked", "synchronize", fork));
    expect(await started("forked")).toHaveLength(1);
  });

  test("end an older run only where they bring commits or another target", async () => {
    await listening("ending", given("ending", ["pull_request"], true));
    const paused = (task: number) => tasks.until("ending", task, "at its stage", ({ status }) => status === "pause");
    await tell("ending", "github", "pull_request", pull("ending", "opened"));
    expect(await started("ending")).toHaveLength(1);
    await paused(1);
    await tell("ending", "github", "pull_request", pull("ending", "labeled"));
    await tell("ending", "github", "pull_request", pull("ending", "reopened"));
    expect(await started("ending")).toHaveLength(2);
    await paused(1);
    const moved = { changes: { base: { ref: { from: "dev" } } } };
    await tell("ending", "github", "pull_request", pull("ending", "edited", undefined, moved));
    expect(await started("ending")).toHaveLength(3);
    expect(await tasks.end("ending", 1)).toMatchObject({ status: "cancelled" });
    await paused(3);
  });
});
