import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { environmentBody, localClusterId } from "../harness/boutique.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { type Program, programEnvironment, startProgram } from "../harness/program.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "slipway-backup-"));
const dataDir = join(folder, "data");
const restored = join(folder, "restored");
const file = join(folder, "slipway.backup");
const token = "administrator-token-of-the-backup-01";
const passphrase = "a passphrase of some length";
let program: Program;

beforeAll(async () => {
  program = await startProgram({ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_ADMIN_TOKEN: token });
  await call("POST", "/openapi/projects/project", { project_name: "Shop", project_key: "shop", project_type: "yaml" });
  await call("POST", "/api/v1/users", { account: "ann", name: "Ann", password: "Passw0rd-of-ann" });
  // Larger than what an item holds: its text is an object.
  const yaml = `${deploymentYaml("web", "nginx:1.27")}\n# ${"long ".repeat(20_000)}\n`;
  await call("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: "web", yaml });
  const environment = { ...environmentBody("dev", "shop-dev"), services: [{ service_name: "web" }] };
  await call("POST", "/openapi/environments?projectKey=shop", environment);
  const spec = {
    runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" },
    ...{ script_type: "shell", script: "echo done", advanced_setting: { cluster_id: localClusterId } },
  };
  const stages = ["first", "second"].map((name, at) => ({
    name,
    ...(at === 1 && { manual_exec: { enabled: true } }),
    jobs: [{ name, type: "freestyle", spec }],
  }));
  await call("POST", "/openapi/workflows/custom", { name: "ship", project: "shop", stages });
  const inputs = [{ job_name: "first" }, { job_name: "second" }];
  await call("POST", "/openapi/workflows/custom/task", { workflow_key: "ship", project_key: "shop", inputs });
});

afterAll(async () => {
  await program?.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

async function call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await program.call<T>(method, path, { token, ...(body !== undefined && { body }) });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.json;
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

async function run(script: string, words: readonly string[], settings: Record<string, string> = {}): Promise<Ended> {
  const env = programEnvironment({ SLIPWAY_BACKUP_PASSPHRASE: passphrase, ...settings }) as NodeJS.ProcessEnv;
  try {
    const ended = await promisify(execFile)(process.execPath, [join(root, script), ...words], { env, cwd: root });
    return { code: 0, ...ended };
  } catch (error) {
    return error as Ended;
  }
}

const slipway = (...words: string[]) => run("clients/cli/main.ts", words);
const taskStatus = async () =>
  (await call<{ status: string }>("GET", "/openapi/workflows/custom/task?workflowKey=ship&taskId=1")).status;

test("a backup is made while Slipway runs and a task waits, and holds no text that could be read", async () => {
  await waitFor("the task to wait for a person", async () => (await taskStatus()) === "pause");
  await waitFor("the environment to run", async () => {
    const { status } = await call("GET", "/openapi/environments/dev?projectKey=shop");
    return status === "running";
  });
  const backedUp = slipway("backup", file, "--data", dataDir);
  let isDone = false;
  backedUp.finally(() => {
    isDone = true;
  });
  for (let revision = 1; !isDone; revision++)
    await call("PUT", "/openapi/service/yaml/web?projectKey=shop", {
      ...{ type: "k8s", yaml: `${deploymentYaml("web", `nginx:1.${revision}`)}\n# ${"long ".repeat(20_000)}\n` },
    });
  const { code, stderr } = await backedUp;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(readFileSync(file).includes("Passw0rd") || readFileSync(file).includes("shop-dev")).toBe(false);
  expect(await taskStatus()).toBe("pause");
});

describe("a backup is not restored", () => {
  test("with another passphrase, or damaged: nothing is left", async () => {
    const other = await run("clients/cli/main.ts", ["restore", file, "--data", restored], {
      SLIPWAY_BACKUP_PASSPHRASE: "a passphrase that is another one",
    });
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("the passphrase is another one") });
    const bytes = readFileSync(file);
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
    const damaged = join(folder, "damaged.backup");
    writeFileSync(damaged, bytes);
    expect((await slipway("restore", damaged, "--data", restored)).stderr).toContain("or the file is damaged");
    expect(existsSync(restored) || existsSync(`${restored}.restoring`)).toBe(false);
  });

  test("where it is none, is missing, or the folder holds something or is in use", async () => {
    const text = join(folder, "text");
    writeFileSync(text, "a text of some length that is no backup, only a text of some length\n".repeat(3));
    expect((await slipway("restore", text, "--data", restored)).stderr).toContain("is no backup of Slipway");
    expect((await slipway("restore", `${file}-gone`, "--data", restored)).stderr).toContain("there is no file");
    expect((await slipway("restore", file, "--data", dataDir)).stderr).toContain("stop it first");
    mkdirSync(join(folder, "full"));
    writeFileSync(join(folder, "full", "something"), "");
    expect((await slipway("restore", file, "--data", join(folder, "full"))).stderr).toContain("is not empty");
    expect((await slipway("backup", file, "--data", join(folder, "full"))).stderr).toContain("holds no data");
    const short = await run("clients/cli/main.ts", ["backup", file], { SLIPWAY_BACKUP_PASSPHRASE: "short" });
    expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining("at least 12") });
  });
});

test("restored into an empty folder it signs in, has every text, finishes the task, and its log verifies", async () => {
  await program.end("SIGTERM");
  expect((await slipway("restore", file, "--data", restored)).stderr).toBe("");
  program = await startProgram({ SLIPWAY_DATA_DIR: restored });

  const login = { account: "ann", password: "Passw0rd-of-ann" };
  expect((await program.call("POST", "/api/v1/login", { token: null, body: login })).status).toBe(200);
  const service = await call("GET", "/openapi/service/yaml/web?projectKey=shop");
  expect(JSON.stringify(service)).toContain("long long long");
  expect(await call("GET", "/openapi/environments/dev?projectKey=shop")).toMatchObject({ stored_status: "success" });
  await call("POST", "/openapi/workflows/custom/ship/task/1/manual-exec?projectKey=shop", { stage_name: "second" });
  await waitFor("the task to end", async () => !["pause", "running", "waiting"].includes(await taskStatus()));
  expect(await taskStatus()).toBe("passed");

  const { code, stdout } = await run("infra/local/verifyAudit.ts", [], { SLIPWAY_DATA_DIR: restored });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+ records in \d+ chains/) });
});
