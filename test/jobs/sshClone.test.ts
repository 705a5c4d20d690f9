import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type GitServer, hasGit, startGitServer } from "../harness/gitServer.ts";
import type { Slipway } from "../harness/slipway.ts";
import { hasSsh, newSshKey, type SshServer, startSshServer } from "../harness/sshServer.ts";
import { makeWorkflow, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let git: GitServer;
let ssh: SshServer;

/** Reads a file of the repository and one of its submodule, as one who has that key. */
async function readWith(workflow: string, ssh_key: string): Promise<{ status: string; error: string; log: string }> {
  const body = { type: "other", address: ssh.url, alias: workflow, auth_type: "ssh", ssh_key };
  const path = "/api/aslan/system/codehosts";
  const { status: created, text: answer } = await slipway.call("POST", path, { body });
  expect(created, answer).toBe(200);
  const hosts = await slipway.call<{ id: number; alias: string }[]>("GET", path);
  const codehost_id = hosts.json.find(({ alias }) => alias === workflow)?.id;
  const repos = [{ codehost_id, repo_namespace: "team", repo_name: "web", branch: "main", submodules: true }];
  const runtime = { infrastructure: "kubernetes", build_os: "ubuntu 20.04" };
  const spec = { runtime, script_type: "shell", script: "cat web/greeting web/parts/part", repos };
  const stages = [{ name: "only", jobs: [{ name: "read", type: "freestyle", spec }] }];
  await makeWorkflow("shop", { name: workflow, stages });
  const id = await tasks.started(workflow, ["read"]);
  const { status, error } = (await tasks.end(workflow, id)).stages[0]?.jobs[0] ?? { status: "", error: "" };
  const { text } = await slipway.call("GET", `/openapi/logs/log/v4/workflow/${workflow}/${id}/read`);
  return { status, error, log: text };
}

describe.skipIf(!hasGit || !hasSsh)("a clone over SSH (contract W 11.3)", () => {
  beforeAll(async () => {
    git = await startGitServer();
    ssh = await startSshServer(git.folder);
    const part = git.repository("team/part.git").commit("main", { part: "a part\n" });
    const web = git.repository("team/web.git");
    web.commit("main", { greeting: "hello over SSH\n" });
    web.submodule("main", "parts", `${ssh.url}/team/part.git`, part);
    ({ slipway, tasks } = await startShop({ podDelayMilliseconds: 0 }));
  });

  afterAll(async () => {
    await slipway?.close();
    await ssh?.close();
    await git?.close();
  });

  test("signs in with the code host's key, for submodules too", async () => {
    const { status, error, log } = await readWith("by-key", ssh.privateKey);
    expect({ status, error, log }).toMatchObject({ status: "passed", error: "" });
    expect(log).toContain("hello over SSH\na part\n");
    expect(log).not.toContain("PRIVATE KEY");
    expect(ssh.requests.filter((one) => one !== "refused")).toContain("git-upload-pack '/team/web.git'");
  });

  test("names the repository that a key may not read", async () => {
    const { status, error, log } = await readWith("stranger", newSshKey().private);
    expect({ status, error }).toEqual({
      status: "failed",
      error: `step clone ended with exit code 128: ${ssh.url}/team/web.git could not be cloned; the log says why`,
    });
    expect(log).toContain("Permission denied (publickey)");
    expect(ssh.requests).toContain("refused");
  });
});
