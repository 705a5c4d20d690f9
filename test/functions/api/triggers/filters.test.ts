import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Slipway } from "../../../harness/slipway.ts";
import { gate, makeWorkflow, startShop } from "../../../harness/tasks.ts";
import branches from "../../../shared/workflows/triggers/cases/branches.json" with { type: "json" };
import globs from "../../../shared/workflows/triggers/cases/globs.json" with { type: "json" };
import { signed } from "./signed.ts";
import { problemsOf, triggerCalls } from "./triggerCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const secret = "the-secret-of-the-code-host";
let slipway: Slipway;
let host: number;
const { call, settled } = triggerCalls(() => slipway);

beforeAll(async () => {
  ({ slipway } = await startShop());
  const body = { type: "gitea", address: "https://gitea.example.com", alias: "gitea", auth_type: "token" };
  const made = await slipway.call<{ id: number }>("POST", "/api/aslan/system/codehosts", {
    body: { ...body, access_token: "t", webhook_secret: secret },
  });
  host = made.json.id;
});

afterAll(() => slipway.close());

/** A workflow and its repository of the same name, with a trigger that listens as it is told. */
async function listening(name: string, main_repo: object) {
  await makeWorkflow("shop", { name, concurrency_limit: -1, stages: [{ name: "one", jobs: [gate("a")] }] });
  const repo = { codehost_id: host, repo_namespace: "team", repo_name: name, events: ["push"], ...main_repo };
  return call("POST", `/webhook/${name}`, { body: { name: "git", main_repo: repo } });
}

/** Whether a push starts a task. */
async function starts(name: string, branch: string, files: readonly string[]): Promise<boolean> {
  const text = JSON.stringify({
    ...{ ref: `refs/heads/${branch}`, after: "c0ffee".padEnd(40, "0"), pusher: { login: "ada" } },
    commits: [{ message: "Fix it", added: [], modified: files, removed: [] }],
    repository: { full_name: `team/${name}`, html_url: `https://gitea.example.com/team/${name}` },
  });
  const headers = signed("gitea", text, "push", name, secret);
  expect((await slipway.call("POST", "/api/aslan/webhook", { token: null, body: text, headers })).status).toBe(202);
  const [delivery] = await settled(name, 0);
  return delivery?.status === "started";
}

describe("a git trigger", () => {
  test("listens to branches as its filter means, and is refused where none can fit", async () => {
    for (const [at, { filter, branch, is_regular, expect: right }] of branches.cases.entries()) {
      const saved = await listening(`branch-${at}`, { branch: filter, ...(is_regular && { is_regular }) });
      const found =
        saved.status === 400 ? "refused" : (await starts(`branch-${at}`, branch, ["a"])) ? "fires" : "silent";
      expect([filter, branch, found]).toEqual([filter, branch, right[0]]);
      if (found === "refused") expect(problemsOf(saved)).toMatchObject([{ path: "main_repo.branch" }]);
    }
  });

  test("listens to files as its patterns mean", async () => {
    for (const [at, { pattern, path, match }] of globs.cases.entries()) {
      const saved = await listening(`glob-${at}`, { branch: "main", match_folders: pattern });
      expect(saved.status, saved.text).toBe(200);
      expect([pattern, path, await starts(`glob-${at}`, "main", path)]).toEqual([pattern, path, match]);
    }
  });

  test("shows whether its branch is a regular expression, and names what is wrong with its filters", async () => {
    expect((await listening("shown", { branch: "^v\\d+$", is_regular: true })).status).toBe(200);
    expect((await call("GET", "/webhook?workflowName=shown")).json).toMatchObject([
      { main_repo: { branch: "^v\\d+$", is_regular: true } },
    ]);
    const wrong = await listening("wrong", { branch: "(main", is_regular: true, match_folders: ["src", "!src"] });
    expect(wrong.status).toBe(400);
    expect(problemsOf(wrong)).toEqual([
      { path: "main_repo.branch", problem: expect.stringContaining("must be a regular expression of RE2") },
      { path: "main_repo.match_folders[0]", problem: expect.stringContaining("takes out all of it") },
    ]);
  });
});
