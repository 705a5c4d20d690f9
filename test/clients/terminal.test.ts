import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environmentBody, untilStatus } from "../harness/boutique.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { adminToken, type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const tmux = "/usr/bin/tmux";
const shells = { bash: "/bin/bash", zsh: "/usr/bin/zsh" } as const;
const isThere = existsSync(tmux);
for (const missing of [tmux, shells.zsh].filter((path) => !existsSync(path)))
  console.warn(`SKIPPED: tests of the command line on a terminal that need ${missing}, which is not there`);

/** Narrow enough that a line of a task takes two rows. */
const columns = 40;

describe.skipIf(!isThere)("the command line on a terminal", () => {
  const socket = `slipway-${randomBytes(4).toString("hex")}`;
  const server = (...words: string[]) => run(tmux, ["-L", socket, ...words]).then(({ stdout }) => stdout);
  let slipway: Slipway;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "slipway-terminal-"));
    slipway = await startSlipway();
    const clusters = await slipway.call<{ cluster_id: string }[]>("GET", "/openapi/system/cluster");
    const job = (name: string, script: string) => ({
      ...{ name, type: "freestyle" },
      spec: {
        ...{ runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" }, script_type: "shell", script },
        advanced_setting: { cluster_id: clusters.json[0]?.cluster_id },
      },
    });
    const project = { project_name: "Demo", project_key: "demo", project_type: "yaml" };
    const workflow = {
      ...{ name: "a-workflow-with-a-name-that-fills-a-row", project: "demo" },
      stages: [{ name: "all", jobs: [job("say", "for i in 1 2 3; do echo line $i; sleep 1; done")] }],
    };
    for (const [path, body] of [
      ["/openapi/projects/project", project],
      ["/openapi/workflows/custom", workflow],
    ] as const)
      expect((await slipway.call("POST", path, { body })).status).toBe(200);
  });

  afterAll(async () => {
    await server("kill-server").catch(() => {});
    await slipway?.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** A terminal with a shell that has read nothing of its user's. */
  async function terminal(shell: keyof typeof shells, env: Record<string, string> = {}) {
    const name = randomBytes(4).toString("hex");
    const given = Object.entries({
      ...{ PATH: `${root}:${process.env.PATH}`, HOME: home, PS1: "ready> ", TERM: "screen-256color" },
      ...{ SLIPWAY_ADDRESS: slipway.runtime.url, SLIPWAY_TOKEN: adminToken, ...env },
    }).map(([key, value]) => `${key}=${value}`);
    const bare = shell === "bash" ? ["--norc", "--noprofile"] : ["-f"];
    const size = ["-x", String(columns), "-y", "20"];
    await server("new-session", "-d", "-s", name, ...size, "env", "-i", ...given, shells[shell], ...bare, "-i");
    const read = (...options: string[]) => server("capture-pane", "-p", "-t", name, ...options);
    const until = (what: string, shown: RegExp) => waitFor(what, async () => shown.test(await read()));
    await until("the shell", /^ready>/m);
    return {
      read,
      until,
      type: (text: string) => server("send-keys", "-t", name, "-l", "--", text),
      press: (key: string) => server("send-keys", "-t", name, key),
    };
  }

  test("a task is one tree that changes in place, in colours, also where a line takes two rows", async () => {
    const { type, press, until, read } = await terminal("bash");
    await type("clear; slipway run a-workflow-with-a-name-that-fills-a-row -p demo; echo ended $?");
    await press("Enter");
    await until("its end", /^ended 0$/m);
    const screen = await read("-J");
    expect(screen.match(/^a-workflow-.*/gm)).toEqual(["a-workflow-with-a-name-that-fills-a-row/1  passed"]);
    expect(screen.match(/^ {4}say {2}\w+/gm)).toEqual(["    say  passed"]);
    expect(screen.match(/^say \| line \d/gm)).toEqual(["say | line 1", "say | line 2", "say | line 3"]);
    expect(await read("-e")).toContain("\u001b[32mpassed");
  });

  test("a followed environment is one block that changes in place, until Ctrl-C", async () => {
    const environments = "/openapi/environments";
    const service = { service_name: "web", yaml: deploymentYaml("web", "reg.io/web:1") };
    const environment = { ...environmentBody("dev", "terminal-dev"), services: [{ service_name: "web" }] };
    for (const [path, body] of [
      ["/openapi/service/yaml/raw", service],
      [environments, environment],
    ] as const)
      expect((await slipway.call("POST", `${path}?projectKey=demo`, { body })).text).toBe('{"message":"success"}');
    await untilStatus(slipway, "demo", "dev", "running");
    const { type, press, until, read } = await terminal("bash");
    await type("clear; slipway status dev -p demo -w");
    await press("Enter");
    await until("the first look", /^web {2}running {2}reg\.io\/web:1$/m);
    const body = { service_name: "web", name: "web", container_name: "main", image: "reg.io/web:2" };
    expect((await slipway.call("POST", `${environments}/image/deployment/dev?projectKey=demo`, { body })).status).toBe(
      200,
    );
    await until("the change", /^web {2}running {2}reg\.io\/web:2$/m);
    expect((await read()).match(/^(demo\/dev|web) .*$/gm)).toEqual(["demo/dev  running", "web  running  reg.io/web:2"]);
    await press("C-c");
    await type("echo ended $?");
    await press("Enter");
    await until("its end", /^ended 130$/m);
  });

  test("NO_COLOR is heard", async () => {
    const { type, press, until, read } = await terminal("bash", { NO_COLOR: "1" });
    await type("clear; slipway task a-workflow-with-a-name-that-fills-a-row/1; echo ended $?");
    await press("Enter");
    await until("its end", /^ended 0$/m);
    expect(await read("-e")).not.toContain("\u001b[3");
  });

  for (const shell of ["bash", "zsh"] as const)
    test.skipIf(!existsSync(shells[shell]))(`${shell} completes commands and options`, async () => {
      const { type, press, until } = await terminal(shell);
      if (shell === "zsh") {
        await type("autoload -U compinit && compinit -u");
        await press("Enter");
      }
      await type(`eval "$(slipway completion ${shell})"; clear; echo loaded`);
      await press("Enter");
      await until("the completion", /^loaded$/m);
      await type("slipway rollb");
      await press("Tab");
      await until("the command", /slipway rollback/);
      await type("--prod");
      await press("Tab");
      await until("the option", /slipway rollback\s+--production/);
    });
});
