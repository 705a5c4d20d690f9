import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type PullRequestHost, startPullRequestHost } from "../../../harness/pullRequestHost.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { gate, makeWorkflow, startShop } from "../../../harness/tasks.ts";
import { signed, type Vendor } from "./signed.ts";
import { problemsOf, success, triggerCalls } from "./triggerCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const secret = "the-secret-of-the-code-host";
const token = "token-of-the-code-host";
const sha = "c0ffee".padEnd(40, "0");
const vendors: readonly Vendor[] = ["github", "gitlab", "gitea", "gitee"];
let slipway: Slipway;
let host: PullRequestHost;
const { call, settled, deliveries, replay } = triggerCalls(() => slipway);
const ids = new Map<string, number>();

async function addHost(alias: string, more: object): Promise<void> {
  const body = { address: host.url, alias, auth_type: "token", access_token: token, webhook_secret: secret };
  const made = await slipway.call<{ id: number }>("POST", "/api/aslan/system/codehosts", {
    body: { ...body, ...more },
  });
  expect(made.status, made.text).toBe(200);
  ids.set(alias, made.json.id);
}

beforeAll(async () => {
  host = await startPullRequestHost(token);
  ({ slipway } = await startShop({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } }));
  for (const type of vendors) await addHost(type, { type });
});

beforeEach(() => {
  host.reply = undefined;
  host.files.clear();
});

afterAll(async () => {
  await slipway.close();
  await host.close();
});

const folders = ["src", "*.toml", "!src/docs", "!*.md"];
const listens = (alias: string, branch: string, more: object = {}) => ({
  name: "git",
  main_repo: {
    ...{ codehost_id: ids.get(alias), repo_namespace: "team", repo_name: "web", branch },
    ...{ events: ["push", "pull_request", "pull_request_merged"], match_folders: folders },
  },
  ...more,
});

/** A workflow that listens to pull requests into the branch of its name. */
async function listening(name: string, alias: string, more: object = {}): Promise<void> {
  await makeWorkflow("shop", { name, concurrency_limit: -1, stages: [{ name: "one", jobs: [gate("a")] }] });
  const answer = await call("POST", `/webhook/${name}`, { body: listens(alias, name, more) });
  expect(answer.json, answer.text).toEqual(success);
}

let calls = 0;

/** A pull request into the branch, opened or with new commits. */
async function pulled(vendor: Vendor, into: string, number: number, isNew = true): Promise<void> {
  const place = { path_with_namespace: "team/web", web_url: `${host.url}/team/web` };
  const [opened, updated] = {
    github: ["opened", "synchronize"],
    gitea: ["opened", "synchronized"],
    gitee: ["open", "update"],
    gitlab: ["open", "update"],
  }[vendor];
  const action = isNew ? opened : updated;
  const body =
    vendor === "gitlab"
      ? {
          ...{ object_kind: "merge_request", project: place, user: { username: "ada" } },
          object_attributes: {
            ...{ action, oldrev: isNew ? "" : "1", iid: number, title: "Add it", source_branch: "topic" },
            ...{ target_branch: into, last_commit: { id: sha } },
          },
        }
      : {
          ...{ action, ...(vendor === "gitee" && { action_desc: "source_branch_changed" }) },
          ...{ repository: { full_name: "team/web", html_url: `${host.url}/team/web` } },
          pull_request: {
            ...{ number, title: "Add it", user: { login: "ada" }, head: { ref: "topic", sha }, base: { ref: into } },
          },
        };
  calls += 1;
  const text = JSON.stringify({ ...body, nonce: calls });
  const headers = signed(vendor, text, "pull_request", `call-${calls}`, secret);
  const answer = await slipway.call("POST", "/api/aslan/webhook", { token: null, body: text, headers });
  expect(answer.status, answer.text).toBe(202);
}

/** How the newest of so many deliveries ended. */
async function newest(workflow: string, count: number) {
  const [first] = await settled(workflow, count);
  return first;
}

const ignored = { status: "ignored", task_id: 0, problem: `none of the changed files is in ${folders.join(", ")}` };
const many = (count: number, name: (at: number) => string) => Array.from({ length: count }, (_, at) => name(at));

describe.each(vendors)("a pull request in %s", (vendor) => {
  test("starts what listens to one of its files, and says so where none is meant", async () => {
    const name = `chosen-${vendor}`;
    await listening(name, vendor);
    host.files.set(7, ["README.md", "docs/a.txt", "src/docs/a.ts", "src/a.md"]);
    await pulled(vendor, name, 7);
    expect(await newest(name, 1)).toMatchObject({ event: "pull_request_opened", ...ignored });
    host.files.set(7, ["README.md", "src/a.ts"]);
    await pulled(vendor, name, 7, false);
    expect(await newest(name, 2)).toMatchObject({ event: "pull_request_updated", status: "started", task_id: 1 });
    host.files.set(7, [["src/old.ts", "docs/new.txt"]]);
    await pulled(vendor, name, 7, false);
    expect(await newest(name, 3)).toMatchObject({ status: "started", task_id: 2 });
  });

  test("is asked for every page, and counts with more files than it tells of", async () => {
    const name = `long-${vendor}`;
    await listening(name, vendor);
    host.files.set(8, [...many(250, (at) => `docs/${at}.txt`), "src/a.ts"]);
    await pulled(vendor, name, 8);
    expect(await newest(name, 1)).toMatchObject({ status: "started" });
    host.files.set(
      8,
      many(250, (at) => `docs/${at}.txt`),
    );
    await pulled(vendor, name, 8, false);
    expect(await newest(name, 2)).toMatchObject(ignored);
    host.files.set(
      8,
      many(3001, (at) => `docs/${at}.txt`),
    );
    await pulled(vendor, name, 8, false);
    expect(await newest(name, 3)).toMatchObject({ status: "started" });
  });

  test("whose files are not told leaves a failed delivery with the reason, which can be replayed", async () => {
    const name = `silent-${vendor}`;
    await listening(name, vendor);
    const replies = [
      [{ status: 500, body: {} }, `code host ${vendor} answers with status 500`],
      [{ status: 401, body: {} }, `code host ${vendor} does not accept its access token`],
      [{ status: 200, body: { message: "later" } }, `code host ${vendor} answers with no list of changed files`],
      ["drop", "cannot be reached"],
      [undefined, `code host ${vendor} has no list of changed files of pull request 9 of team/web`],
    ] as const;
    for (const [at, [reply, reason]] of replies.entries()) {
      host.reply = reply;
      await pulled(vendor, name, 9);
      expect(await newest(name, at + 1)).toMatchObject({
        ...{ status: "failed", task_id: 0 },
        problem: expect.stringMatching(`^whether match_folders are meant cannot be known: .*${reason}`),
      });
    }
    host.files.set(9, ["conf/x.toml"]);
    const [last] = await deliveries(name);
    expect((await replay(name, last?.delivery_id ?? "")).status).toBe(202);
    expect(await newest(name, replies.length + 1)).toMatchObject({ status: "started", replay_of: last?.delivery_id });
  });
});

test("what is not meant does not end the run of older commits", async () => {
  await listening("kept", "github", { auto_cancel: true });
  host.files.set(7, ["src/a.ts"]);
  await pulled("github", "kept", 7);
  expect(await newest("kept", 1)).toMatchObject({ status: "started" });
  host.files.set(7, ["README.md"]);
  await pulled("github", "kept", 7, false);
  expect(await newest("kept", 2)).toMatchObject(ignored);
});

test("a trigger without folders asks nobody", async () => {
  await listening("unasked", "github", { main_repo: { ...listens("github", "unasked").main_repo, match_folders: [] } });
  const before = host.received.length;
  await pulled("github", "unasked", 7);
  expect(await newest("unasked", 1)).toMatchObject({ status: "started" });
  expect(host.received.slice(before).filter(({ path }) => path.includes("/pulls/"))).toEqual([]);
});

test("a code host that cannot be asked is refused, unless only pushes are meant", async () => {
  await addHost("by-word", {
    ...{ type: "gitlab", auth_type: "password", username: "ada", password: "a-word" },
    access_token: undefined,
  });
  await makeWorkflow("shop", { name: "wrong", stages: [{ name: "one", jobs: [gate("a")] }] });
  const body = listens("by-word", "wrong");
  const answer = await call("POST", "/webhook/wrong", { body });
  expect(answer.status).toBe(400);
  const problem = expect.stringMatching(/which needs auth_type token/);
  expect(problemsOf(answer)).toEqual([{ path: "main_repo.match_folders", problem }]);
  const pushes = { ...body, main_repo: { ...body.main_repo, events: ["push"] } };
  expect((await call("POST", "/webhook/wrong", { body: pushes })).json).toEqual(success);
});
