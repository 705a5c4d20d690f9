import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { load } from "js-yaml";
import { describe, expect, onTestFinished, test } from "vitest";
import { readRepositoryFile } from "../structure/sourceFiles.ts";

interface Action {
  inputs: Record<string, { description: string; default?: string }>;
  runs: { using: string; steps: { shell: string; run: string; env?: Record<string, string> }[] };
}

const action = load(readRepositoryFile("action.yml")) as Action;

/** Plays the action's steps as a runner does, where `npm` and `slipway` note how they are called. */
function play(inputs: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "slipway-action-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [calls, variables] = [join(folder, "calls"), join(folder, "variables")];
  for (const name of ["npm", "slipway"]) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho ${name} "$@" >>"${calls}"\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const given = (text: string) =>
    text.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name: string) => inputs[name] ?? action.inputs[name]?.default ?? "");
  let out = "";
  for (const { shell, run, env = {} } of action.runs.steps) {
    const own = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, given(text)]));
    const PATH = [folder, process.env.PATH].join(delimiter);
    const ended = spawnSync(shell, ["-e", "-c", run], {
      env: { PATH, GITHUB_ENV: variables, ...own },
      encoding: "utf8",
    });
    out += ended.stdout;
    if (ended.status !== 0) return { status: ended.status, out, calls: "", variables: "" };
  }
  const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "");
  return { status: 0, out, calls: read(calls), variables: read(variables) };
}

describe("the action setup-slipway", () => {
  const inputs = { address: "https://slipway.example.com", token: "slw_of-a-pipeline" };

  test("installs the command line, signs it in for later steps and hides the token", () => {
    const played = play({ ...inputs, project: "shop" });
    expect(played).toMatchObject({ status: 0, out: "::add-mask::slw_of-a-pipeline\n" });
    expect(played.calls).toBe("npm install --global --no-audit --no-fund slipway\nslipway whoami\n");
    expect(played.variables).toBe(
      "SLIPWAY_ADDRESS=https://slipway.example.com\nSLIPWAY_TOKEN=slw_of-a-pipeline\nSLIPWAY_PROJECT=shop\n",
    );
  });

  test("takes an archive, and names no project where none is given", () => {
    const played = play({ ...inputs, package: "./an archive.tgz" });
    expect(played.calls).toContain("npm install --global --no-audit --no-fund ./an archive.tgz\n");
    expect(played.variables).not.toContain("SLIPWAY_PROJECT");
  });

  test.each(["address", "token", "project"])("refuses a line break in %s, which would set another variable", (name) => {
    const played = play({ ...inputs, [name]: "a\nPATH=/elsewhere" });
    expect(played).toMatchObject({ status: 1, out: expect.stringContaining("line break") });
  });

  test("puts no input into a script, where it would be run", () => {
    for (const { run } of action.runs.steps) expect(run).not.toContain("${{");
    for (const { description } of Object.values(action.inputs)) expect(description).not.toBe("");
  });
});
