import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { basicAuthorization } from "../../infra/local/registry/basicAuth.ts";
import { localClusterId } from "../harness/boutique.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { adminToken } from "../harness/slipway.ts";
import { pusher } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 });

const mayMount = process.platform === "linux" && process.getuid?.() === 0;
if (!mayMount) console.warn("SKIPPED: what happens on a full disk. A small disk is mounted by root on Linux alone.");

const megabytes = 96;
let disk: string;
let log: string;
let program: Program;
let gate: Server;
/** What the job of the task was answered: 503 as long as it has to wait. */
const answered = { 200: 0, 503: 0 };
let isOpen = false;
let push: ReturnType<typeof pusher>;

beforeAll(async () => {
  if (!mayMount) return;
  disk = mkdtempSync(join(tmpdir(), "slipway-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "slipway", disk]);
  const dataDir = join(disk, "data");
  log = join(dataDir, "log.ndjson");
  program = await startProgram({ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_ADMIN_TOKEN: adminToken });
  const password = readFileSync(join(dataDir, "registry-password"), "utf8");
  push = pusher(new URL(program.printed("Image registry") ?? "").host, {
    authorization: basicAuthorization({ username: "slipway", password }),
  });
  gate = createServer((_, response) => {
    const status = isOpen ? 200 : 503;
    response.writeHead(status).end(() => answered[status]++);
  }).listen(0, "127.0.0.1");
  await waitFor("a port", async () => gate.listening);
});

afterAll(async () => {
  if (!mayMount) return;
  gate.close();
  await program?.end("SIGKILL");
  execFileSync("umount", ["--lazy", disk]);
  rmSync(disk, { recursive: true, force: true });
});

const make = (key: string, headers: Record<string, string> = {}) =>
  program.call<{ code: number; description: string }>("POST", "/openapi/projects/project", {
    ...{ headers, body: { project_name: key, project_key: key, is_public: false, project_type: "yaml" } },
  });

const task = async () =>
  (await program.call<{ status: string }>("GET", "/openapi/workflows/custom/task?workflowKey=ship&taskId=1")).json;

/** Takes all the room that there is, to the last byte. */
function fill(file: string): void {
  const descriptor = openSync(file, "w");
  for (let size = 1024 * 1024; size >= 1; )
    try {
      writeSync(descriptor, Buffer.alloc(size));
    } catch {
      size = Math.floor(size / 2);
    }
  closeSync(descriptor);
}

describe.skipIf(!mayMount)("a full disk", () => {
  test("ends nothing: reads are answered and writes refused until there is room, and a task that runs passes", async () => {
    const { port } = gate.address() as AddressInfo;
    expect((await make("shop")).status).toBe(200);
    const script = `echo begun\nuntil curl -sf http://127.0.0.1:${port}/; do echo waiting; sleep 0.2; done\necho ended`;
    const job = {
      ...{ name: "say", type: "freestyle" },
      spec: {
        runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" },
        ...{ script_type: "shell", script, advanced_setting: { cluster_id: localClusterId } },
      },
    };
    const workflow = { name: "ship", project: "shop", stages: [{ name: "one", jobs: [job] }] };
    expect((await program.call("POST", "/openapi/workflows/custom", { body: workflow })).status).toBe(200);
    const inputs = [{ job_name: "say", parameters: {} }];
    const started = { workflow_key: "ship", project_key: "shop", inputs };
    expect((await program.call("POST", "/openapi/workflows/custom/task", { body: started })).status).toBe(200);
    await waitFor("the job to run", async () => answered[503] > 0, 60);

    const filling = join(disk, "filling");
    fill(filling);
    const refused = await waitFor("a write to be refused", async () => {
      const answer = await make(`full-${Date.now()}`);
      return answer.status !== 200 && answer;
    });
    expect([refused.status, refused.json]).toEqual([
      507,
      expect.objectContaining({ code: 507, description: expect.stringContaining("the disk is full") }),
    ]);
    const key = { "idempotency-key": "of-a-full-disk" };
    expect((await make("keyed", key)).status).toBe(507);
    for (const path of ["/openapi/projects/project", "/openapi/system/registry", "/healthz"])
      expect((await program.call("GET", path)).status, path).toBe(200);
    const notReady = await program.call("GET", "/readyz");
    expect([notReady.status, notReady.text]).toEqual([503, expect.stringContaining("not ready: table")]);
    await expect(push.blob("slipway/web", Buffer.alloc(100_000))).rejects.toThrow(
      /507 .*the disk of the registry is full/,
    );

    // It ends while nothing of that can be written.
    isOpen = true;
    await waitFor("the job to end", async () => answered[200] > 0);
    for (let round = 0; round < 50; round++) {
      expect((await make(`still-${round}`)).status).toBe(507);
      expect((await program.call("GET", "/openapi/projects/project")).status).toBe(200);
    }
    expect((await task()).status).toBe("running");

    rmSync(filling);
    await waitFor("writes to be taken again", async () => (await make(`room-${Date.now()}`)).status === 200);
    expect((await make("keyed", key)).status).toBe(200);
    await push.image("slipway/web", "1");
    await waitFor("all parts to work", async () => (await program.call("GET", "/readyz")).status === 200);
    await waitFor("the task to pass", async () => (await task()).status === "passed", 90);
    const lines = readFileSync(log, "utf8");
    expect(lines).toMatch(/"message":"lines of this log were dropped",.*"lines":\d+/);

    fill(filling);
    expect(await program.end("SIGTERM")).toMatchObject({ code: 0, errors: "" });
  });
});
