import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRepositoryFile } from "../structure/sourceFiles.ts";

const pack = new URL("../../infra/npm/pack.ts", import.meta.url).pathname;
const place = mkdtempSync(join(tmpdir(), "slipway-package-"));
const empty = join(place, "empty folder");
const home = join(place, "home");
const { version } = JSON.parse(readRepositoryFile("package.json")) as { version: string };
const archive = join(place, `slipway-${version}.tgz`);

/** Nothing of the repository is in the way of these programs. */
const env = {
  ...{ HOME: home, PATH: process.env.PATH, SLIPWAY_PORT: "0", SLIPWAY_REGISTRY_PORT: "0" },
  NODE_COMPILE_CACHE: join(tmpdir(), "slipway-compile-cache"),
};

function run(...words: string[]) {
  const program = join(empty, "node_modules/.bin/slipway");
  return spawnSync(process.execPath, [program, ...words], { cwd: empty, env, encoding: "utf8" });
}

beforeAll(() => {
  expect(spawnSync(process.execPath, [pack, place], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  // Its code is all there is, so npm asks no registry.
  const words = ["install", "--offline", "--no-audit", "--no-fund", "--no-update-notifier", "--prefix", empty, archive];
  expect(spawnSync("npm", words, { env, encoding: "utf8" })).toMatchObject({ status: 0 });
});
afterAll(() => {
  run("down");
  rmSync(place, { recursive: true, force: true });
});

describe("the npm package, installed in an empty folder", () => {
  test("is small, needs no other package and brings the licence of each package in it", () => {
    expect(statSync(archive).size).toBeLessThan(12_000_000);
    expect(readdirSync(join(empty, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["slipway"]);
    const licences = readFileSync(join(empty, "node_modules/slipway/licences.txt"), "utf8");
    for (const name of ["commander", "zod", "react", "react-dom", "@aws-sdk/client-dynamodb", "@lezer/common"])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, "m"));
    expect(licences).not.toMatch(/\(none\)$/m);
  });

  test("says its version, and refuses a Node.js that is too old", () => {
    expect(run("--version")).toMatchObject({ status: 0, stdout: `${version}\n` });
    const old = `Object.defineProperty(process.versions, "node", { value: "20.11.0" }); require(process.argv[1])`;
    const program = join(empty, "node_modules/slipway/bin/slipway.cjs");
    expect(spawnSync(process.execPath, ["-e", old, program], { encoding: "utf8" })).toMatchObject({
      ...{ status: 1, stdout: "" },
      stderr: expect.stringMatching(/^slipway: Node\.js \S+ is too old: install version 22\.16 or newer/),
    });
  });

  test("starts, deploys, serves console and API document, and runs a script of a workflow in a pod", async () => {
    const demo = run("demo");
    expect(demo).toMatchObject({ status: 0, stdout: expect.stringContaining("Online Boutique runs") });
    expect(existsSync(join(empty, ".slipway/slipway.pid"))).toBe(true);
    expect(readFileSync(join(empty, ".slipway/up.log"), "utf8")).not.toMatch(/warning/i);
    expect(run("status")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^online-boutique +dev/m) });

    const { address, token } = JSON.parse(readFileSync(join(home, ".config/slipway/contexts.json"), "utf8")).contexts
      .local as { address: string; token: string };
    const call = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const answer = await fetch(address + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      expect(answer.status, await answer.clone().text()).toBe(200);
      return answer;
    };
    expect(await (await call("GET", "/console/")).text()).toContain("<script");
    expect(await (await call("GET", "/openapi.json")).json()).toMatchObject({ openapi: expect.any(String) });
    const [cluster] = (await (await call("GET", "/openapi/system/cluster")).json()) as { cluster_id: string }[];
    const say = {
      ...{ name: "say", type: "freestyle" },
      spec: {
        ...{ runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" }, script_type: "shell" },
        ...{ script: "echo from a pod", advanced_setting: { cluster_id: cluster?.cluster_id } },
      },
    };
    const workflow = { name: "hello", project: "online-boutique", stages: [{ name: "one", jobs: [say] }] };
    await call("POST", "/openapi/workflows/custom", workflow);
    expect(run("run", "hello", "-p", "online-boutique")).toMatchObject({
      ...{ status: 0, stderr: expect.stringContaining("say | from a pod") },
    });
    expect(run("down")).toMatchObject({ status: 0, stdout: expect.stringContaining("has stopped") });
  });
});
