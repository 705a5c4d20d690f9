import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Slipway } from "../../../harness/slipway.ts";
import { gate, makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { signed, type Vendor } from "./signed.ts";
import { problemsOf, success, triggerCalls } from "./triggerCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const secret = "the-secret-of-the-code-host";
const sha = "c0ffee".padEnd(40, "0");
const vendors: readonly Vendor[] = ["github", "gitlab", "gitea", "gitee"];
let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
const { call, settled, deliveries } = triggerCalls(() => slipway);
const hosts = new Map<Vendor, number>();

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
  for (const type of vendors) {
    const body = { type, address: `https://${type}.example.com`, alias: type, auth_type: "token", access_token: "t" };
    const made = await slipway.call<{ id: number }>("POST", "/api/aslan/system/codehosts", {
      body: { ...body, webhook_secret: secret },
    });
    hosts.set(type, made.json.id);
  }
});

afterAll(() => slipway.close());

const repo = (vendor: Vendor, more: object = {}) => ({
  ...{ codehost_id: hosts.get(vendor), repo_namespace: "team", repo_name: "web", events: ["push"] },
  ...more,
});

/** A workflow that shows what it was told, with a trigger that listens. */
async function listening(name: string, main_repo: object, more: object = {}): Promise<void> {
  await makeWorkflow("shop", {
    name,
    concurrency_limit: -1,
    params: [{ name: "told", type: "string", value: "" }],
    stages: [{ name: "one", jobs: [gate("a")] }],
  });
  const value = ["event", "branch", "target_branch", "tag", "pr", "commit_sha", "committer", "commit_message"]
    .map((variable) => `{{.payload.trigger.${variable}}}`)
    .join("|");
  const workflow_arg = { parameters: [{ name: "told", value }] };
  const answer = await call("POST", `/webhook/${name}`, { body: { name: "git", main_repo, workflow_arg, ...more } });
  expect(answer.json, answer.text).toEqual(success);
}

async function told(workflow: string, taskId: number): Promise<unknown> {
  const task = (await tasks.read(workflow, taskId)) as unknown as { params: { value: unknown }[] };
  return task.params[0]?.value;
}

let calls = 0;

function tell(vendor: Vendor, body: object, more: { key?: string; id?: string; event?: string; text?: string } = {}) {
  const text = more.text ?? JSON.stringify(body);
  calls += 1;
  const headers = signed(vendor, text, more.event ?? "push", more.id ?? `call-${calls}`, more.key ?? secret);
  return slipway.call<{ delivery_id: string }>("POST", "/api/aslan/webhook", { token: null, body: text, headers });
}

const place = (vendor: Vendor) =>
  vendor === "gitlab"
    ? { project: { path_with_namespace: "team/web", web_url: "https://gitlab.example.com/team/web" } }
    : { repository: { full_name: "team/web", html_url: `https://${vendor}.example.com/team/web` } };

const push = (vendor: Vendor, branch: string, files: readonly string[] = ["main.go"]) => ({
  ...{ ...place(vendor), object_kind: "push", ref: `refs/heads/${branch}`, after: sha },
  ...(vendor === "gitlab" ? { user_username: "ada" } : { pusher: { name: "ada" } }),
  commits: [{ message: "Fix it — grüße", added: [], modified: files, removed: [] }],
});

const pull = (vendor: Vendor, action: string, more: object = {}) =>
  vendor === "gitlab"
    ? {
        ...{ ...place(vendor), object_kind: "merge_request", user: { username: "ada" } },
        object_attributes: {
          ...{ action, iid: 7, title: "Add it", source_branch: "topic", target_branch: "main" },
          ...{ last_commit: { id: sha }, ...more },
        },
      }
    : {
        ...{ ...place(vendor), action },
        pull_request: {
          ...{ number: 7, title: "Add it", user: { login: "ada" }, head: { ref: "topic", sha }, base: { ref: "main" } },
          ...more,
        },
      };

describe.each(vendors)("a push to %s", (vendor) => {
  test("starts the workflows that listen to the branch, with the bytes as they were signed", async () => {
    const name = `pushed-${vendor}`;
    await listening(name, repo(vendor, { branch: "release-*" }));
    expect((await tell(vendor, push(vendor, "release-1"))).status).toBe(202);
    expect(await settled(name)).toMatchObject([{ kind: "webhook", trigger: "git", event: "push", status: "started" }]);
    expect(await told(name, 1)).toBe(`push|release-1||||${sha}|ada|Fix it — grüße`);
    expect(await tasks.end(name, 1)).toMatchObject({ status: "passed", task_creator: "webhook" });
    await tell(vendor, push(vendor, "topic"));
    await tell(vendor, { ...push(vendor, "release-1"), after: "0".repeat(40) });
    expect(await deliveries(name)).toHaveLength(1);
  });

  test("is refused with 401 when another secret signed it, and starts nothing", async () => {
    const name = `forged-${vendor}`;
    await listening(name, repo(vendor));
    expect((await tell(vendor, push(vendor, "main"), { key: "another-secret" })).status).toBe(401);
    const elsewhere = JSON.parse(JSON.stringify(push(vendor, "main")).replaceAll(".example.com", ".example.org"));
    expect((await tell(vendor, elsewhere)).status).toBe(401);
    expect(await deliveries(name)).toEqual([]);
  });

  test("starts once, however often the code host repeats it", async () => {
    const name = `repeated-${vendor}`;
    await listening(name, repo(vendor));
    const body = { ...push(vendor, "main"), nonce: name };
    const answers = await Promise.all([1, 2, 3].map(() => tell(vendor, body, { id: name })));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ json }) => json.delivery_id)).size).toBe(1);
    expect(await settled(name)).toHaveLength(1);
  });

  test("of a tag, and pull requests that open, are updated and merged, go to who listens to them", async () => {
    const name = `pulled-${vendor}`;
    await listening(name, repo(vendor, { events: ["tag", "pull_request", "pull_request_merged"], branch: "main" }));
    const words = {
      github: ["opened", "synchronize", "closed"],
      gitea: ["opened", "synchronized", "closed"],
      gitee: ["open", "update", "merge"],
      gitlab: ["open", "update", "merge"],
    }[vendor];
    const merged = { merged: true, merge_commit_sha: "e".repeat(40) };
    await tell(vendor, { ...push(vendor, "x"), ref: "refs/tags/v7", object_kind: "tag_push" });
    await settled(name, 1);
    await tell(vendor, pull(vendor, words[0] ?? ""));
    await settled(name, 2);
    await tell(vendor, { ...pull(vendor, words[1] ?? "", { oldrev: "1" }), action_desc: "source_branch_changed" });
    await settled(name, 3);
    await tell(vendor, pull(vendor, words[2] ?? "", merged));
    await settled(name, 4);
    await tell(vendor, pull(vendor, "labeled"));
    await tell(vendor, push(vendor, "main"));
    expect(await deliveries(name)).toHaveLength(4);
    expect(await Promise.all([1, 2, 3, 4].map((task) => told(name, task)))).toEqual([
      `tag|||v7||${sha}|ada|Fix it — grüße`,
      `pull_request_opened|topic|main||7|${sha}|ada|Add it`,
      `pull_request_updated|topic|main||7|${sha}|ada|Add it`,
      `pull_request_merged|topic|main||7|${"e".repeat(40)}|ada|Add it`,
    ]);
  });
});

describe("a git trigger", () => {
  test("listens to folders, and leaves out what is excluded", async () => {
    await listening("foldered", repo("github", { match_folders: ["src", "*.toml", "!src/docs", "!*.md"] }));
    const tries = [["README.md"], ["docs/a.txt"], ["src/docs/a.ts"], ["src/a.md"], ["srcs/a.ts"]];
    for (const files of tries) await tell("github", push("github", "main", files));
    const untouched = { status: "ignored", problem: "none of the changed files is in src, *.toml, !src/docs, !*.md" };
    expect(await deliveries("foldered")).toMatchObject(tries.map(() => untouched));
    await tell("github", push("github", "main", ["README.md", "src/a.ts"]));
    await tell("github", push("github", "main", ["conf/x.toml"]));
    const started = (await settled("foldered", 7)).filter(({ status }) => status === "started");
    expect(started).toHaveLength(2);
  });

  test.each([
    ["gitlab", { total_commits_count: 21 }],
    ["gitea", { total_commits: 6 }],
    ["gitee", { total_commits_count: 11 }],
  ] as const)("counts a push to %s of more commits than it tells of", async (vendor, more) => {
    const name = `large-${vendor}`;
    await listening(name, repo(vendor, { match_folders: ["src"], branch: name }));
    await tell(vendor, push(vendor, name, ["README.md"]));
    expect(await deliveries(name)).toMatchObject([{ status: "ignored" }]);
    await tell(vendor, { ...push(vendor, name, ["README.md"]), ...more });
    expect(await settled(name, 2)).toMatchObject([{ status: "started" }, { status: "ignored" }]);
  });

  test("takes a form, and answers a ping", async () => {
    await listening("formed", repo("github", { branch: "formed" }));
    const text = new URLSearchParams({ payload: JSON.stringify(push("github", "formed")) }).toString();
    expect((await tell("github", {}, { text })).status).toBe(202);
    expect(await settled("formed")).toMatchObject([{ status: "started" }]);
    expect((await tell("github", { zen: "Keep it", ...place("github") }, { event: "ping" })).status).toBe(202);
    expect((await tell("github", {}, { text: "payload=no" })).status).toBe(400);
    expect((await slipway.call("POST", "/api/aslan/webhook", { token: null, body: {} })).status).toBe(400);
  });

  test("is changed, listed and deleted; the secret of its code host stays when none is sent", async () => {
    await listening("kept", repo("gitea", { branch: "kept" }));
    expect((await call("GET", "/webhook/preset?workflowName=kept")).json).toMatchObject({
      events: expect.arrayContaining(["push", "pull_request"]),
    });
    const id = hosts.get("gitea");
    const host = { type: "gitea", address: "https://gitea.example.com", alias: "gitea", auth_type: "token" };
    expect((await slipway.call("PUT", `/api/aslan/system/codehosts/${id}`, { body: host })).status).toBe(200);
    await tell("gitea", push("gitea", "kept"));
    await settled("kept");
    const changed = { name: "git", main_repo: repo("gitea", { branch: "other" }) };
    expect((await call("PUT", "/webhook/kept", { body: changed })).json).toEqual(success);
    await tell("gitea", push("gitea", "kept"));
    expect(await deliveries("kept")).toHaveLength(1);
    const list = await call("GET", "/webhook?workflowName=kept");
    expect(list.json).toMatchObject([{ name: "git", main_repo: { repo_owner: "team", branch: "other" } }]);
    expect((await call("DELETE", "/webhook/kept/trigger/git")).json).toEqual(success);
    await tell("gitea", push("gitea", "other"));
    expect(await deliveries("kept")).toHaveLength(1);
  });

  test("keeps its code host, which is refused to be deleted until nothing listens to it", async () => {
    const added: number[] = [];
    for (const alias of ["first", "second"]) {
      const body = {
        type: "github",
        address: "https://kept.example.com",
        alias,
        auth_type: "token",
        access_token: "t",
      };
      const made = await slipway.call<{ id: number }>("POST", "/api/aslan/system/codehosts", {
        body: { ...body, webhook_secret: secret },
      });
      added.push(made.json.id);
    }
    const remove = async (at: number) => {
      const answer = await slipway.call<{ description?: string }>("DELETE", `/api/aslan/system/codehosts/${added[at]}`);
      return [answer.status, answer.json.description ?? ""];
    };
    const refused = (workflow: string) => [
      400,
      expect.stringContaining(`the code host is used by trigger ${workflow}/git of project shop`),
    ];
    await listening("keeping", repo("github", { codehost_id: added[0] }));
    await listening("keeping-too", repo("github", { codehost_id: added[1] }));
    expect(await remove(0)).toEqual(refused("keeping"));
    const moved = { name: "git", main_repo: repo("github", { codehost_id: added[1] }) };
    expect((await call("PUT", "/webhook/keeping", { body: moved })).json).toEqual(success);
    expect((await remove(0))[0]).toBe(200);
    expect((await call("DELETE", "/webhook/keeping/trigger/git")).json).toEqual(success);
    expect(await remove(1)).toEqual(refused("keeping-too"));
    const workflow = "/openapi/workflows/custom?workflowKey=keeping-too&projectKey=shop";
    expect((await slipway.call("DELETE", workflow)).status).toBe(200);
    await waitFor("the triggers of the deleted workflow to be gone", async () => (await remove(1))[0] === 200);
  });

  test("has jobs clone the commit that was pushed, also in a build that names the repository itself", async () => {
    const own = { ...repo("github"), branch: "default", source: "github", repo_owner: "team", events: undefined };
    const spec = { repos: [own], script: "true", properties: {}, steps: [] };
    await makeWorkflow("shop", {
      name: "cloned",
      stages: [{ name: "one", jobs: [{ name: "a", type: "freestyle", spec }] }],
    });
    const main_repo = repo("github", { branch: "cloned" });
    await call("POST", "/webhook/cloned", { body: { name: "git", main_repo } });
    await tell("github", push("github", "cloned"));
    const [delivery] = await settled("cloned");
    expect(delivery).toMatchObject({ status: "started", problem: "" });
    const task = await tasks.read("cloned", 1);
    const shown = JSON.stringify(task.stages[0]?.jobs[0]?.spec);
    expect(shown).toContain(`"commit_id":"${sha}"`);
    expect(shown).toContain('"branch":"cloned"');
    await tasks.cancel("cloned", 1);
    await tasks.end("cloned", 1);
  });

  test.each([
    [{ codehost_id: 999_999 }, "main_repo.codehost_id", /there is no code host 999999/],
    [{ events: [] }, "main_repo.events", /must name an event/],
    [{ events: ["merge"] }, "main_repo.events[0]", /must be one of push, tag/],
    [
      { events: ["push", "tag"], match_folders: ["src"] },
      "main_repo.match_folders",
      /goes with pushes and pull requests/,
    ],
  ])("is refused as %j", async (more, path, problem) => {
    await makeWorkflow("shop", { name: "wrong", stages: [{ name: "one", jobs: [gate("a")] }] }).catch(() => undefined);
    const answer = await call("POST", "/webhook/wrong", { body: { name: "git", main_repo: repo("github", more) } });
    expect(answer.status).toBe(400);
    expect(problemsOf(answer)).toEqual([{ path, problem: expect.stringMatching(problem) }]);
  });
});

describe("a trigger that cancels older runs", () => {
  const ofPull = (number: number, commit: string) => {
    const body = pull("github", "synchronize") as { pull_request: object };
    return {
      ...body,
      pull_request: { ...body.pull_request, number, head: { ref: "topic", sha: commit.padEnd(40, "0") } },
    };
  };

  beforeAll(async () => {
    await makeWorkflow("shop", {
      name: "newest",
      concurrency_limit: -1,
      stages: [{ name: "one", manual_exec: { enabled: true, manual_exec_users: [] }, jobs: [gate("a")] }],
    });
    const main_repo = repo("github", { events: ["push", "pull_request"], branch: "newest" });
    const body = { name: "git", main_repo: { ...main_repo, branch: "" }, auto_cancel: true };
    expect((await call("POST", "/webhook/newest", { body })).json).toEqual(success);
  });

  test("has one run for each pull request, that of the newest commits", async () => {
    expect((await call("GET", "/webhook?workflowName=newest")).json).toMatchObject([{ auto_cancel: true }]);
    await tell("github", ofPull(7, "a"));
    await settled("newest", 1);
    await tell("github", ofPull(8, "b"));
    await settled("newest", 2);
    await tasks.until("newest", 1, "at its stage", ({ status }) => status === "pause");
    await tell("github", ofPull(7, "c"));
    await settled("newest", 3);
    expect(await tasks.end("newest", 1)).toMatchObject({ status: "cancelled" });
    expect((await tasks.read("newest", 1)) as unknown).toMatchObject({ task_revoker: "webhook" });
    for (const task of [2, 3]) await tasks.until("newest", task, "at its stage", ({ status }) => status === "pause");
  });

  test("leaves pushes alone, and a run that is over", async () => {
    await tasks.cancel("newest", 3);
    await tasks.end("newest", 3);
    for (const branch of ["x", "x"]) await tell("github", push("github", branch));
    await tell("github", ofPull(7, "d"));
    await settled("newest", 6);
    for (const task of [4, 5, 6]) await tasks.until("newest", task, "at its stage", ({ status }) => status === "pause");
  });

  test("has one run in the end when several come at once", async () => {
    await Promise.all(["e", "f", "0", "1"].map((commit) => tell("github", ofPull(9, commit))));
    const found = await settled("newest", 10);
    const ofNine = found.slice(0, 4);
    expect(ofNine.map(({ status }) => status).filter((status) => !["started", "ignored"].includes(status))).toEqual([]);
    const started = ofNine.filter(({ status }) => status === "started");
    const newest = started[0]?.task_id ?? 0;
    expect(ofNine[0]).toMatchObject({ status: "started" });
    for (const { task_id } of started.slice(1))
      expect(await tasks.end("newest", task_id)).toMatchObject({ status: "cancelled" });
    await tasks.until("newest", newest, "at its stage", ({ status }) => status === "pause");
  });
});

test("one push reaches every trigger that listens, also more of them than one transaction takes", async () => {
  const many = 3;
  const each = 34;
  const names = Array.from({ length: many }, (_, index) => `many-${index}`);
  for (const name of names) {
    await listening(name, repo("github", { branch: "crowded" }));
    for (let index = 1; index < each; index++) {
      const body = { name: `off-${index}`, enabled: false, main_repo: repo("github", { branch: "crowded" }) };
      const answer = await call("POST", `/webhook/${name}`, { body });
      expect(answer.status, answer.text).toBe(200);
    }
  }
  // As much as is kept beside each delivery, so that fewer of them fit into a transaction.
  const crowd = { ...push("github", "crowded"), note: "x".repeat(60_000) };
  const first = await tell("github", crowd, { id: "crowd" });
  const again = await tell("github", crowd, { id: "crowd" });
  expect([first.status, again.status]).toEqual([202, 202]);
  expect(again.json).toEqual(first.json);
  for (const name of names) {
    const found = await settled(name, each);
    expect(found).toHaveLength(each);
    expect(new Set(found.map(({ delivery_id }) => delivery_id))).toEqual(new Set([first.json.delivery_id]));
    expect(found.filter(({ status }) => status !== "ignored")).toMatchObject([{ trigger: "git", status: "started" }]);
  }
});
