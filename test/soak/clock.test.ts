import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Program, processesNaming, startProgram } from "../harness/program.ts";
import { planBody } from "../harness/releasePlans.ts";
import { adminToken } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

const path = "/openapi/release_plan/v1";
const hour = 3600;
/** The Scheduler of one machine looks at the clock once a minute at least. */
const lookSeconds = 150;
const library = existsSync("/usr/lib")
  ? readdirSync("/usr/lib")
      .map((folder) => `/usr/lib/${folder}/faketime/libfaketimeMT.so.1`)
      .find(existsSync)
  : undefined;
if (library === undefined) console.warn("SKIPPED: clocks. Install the package faketime (libfaketime) to run them.");

describe.skipIf(library === undefined)("a schedule and a clock that somebody changes", () => {
  let folder: string;
  let program: Program;
  /** Seconds by which the program's clock is ahead. */
  let ahead = 0;

  afterEach(async () => {
    await program.end("SIGKILL");
    for (const pid of processesNaming(folder).keys()) process.kill(pid, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  const clock = () => join(folder, "clock");
  const now = () => Math.floor(Date.now() / 1000) + ahead;

  function setClock(seconds: number): void {
    ahead = seconds;
    writeFileSync(clock(), `${seconds < 0 ? "-" : "+"}${Math.abs(seconds)}\n`);
  }

  async function start(): Promise<void> {
    program = await startProgram({
      ...{ SLIPWAY_DATA_DIR: join(folder, "data"), SLIPWAY_ADMIN_TOKEN: adminToken, LD_PRELOAD: library },
      ...{ FAKETIME_TIMESTAMP_FILE: clock(), FAKETIME_NO_CACHE: "1", FAKETIME_DONT_FAKE_MONOTONIC: "1" },
    });
  }

  async function call<T>(method: string, to: string, body?: object): Promise<T> {
    const { status, text, json } = await program.call<T>(method, to, body === undefined ? {} : { body });
    expect(status, `${method} ${to}: ${text}`).toBe(200);
    return json;
  }

  /** An executing plan of one workflow, whose time is so many seconds ahead. */
  async function scheduled(seconds: number): Promise<string> {
    folder = mkdtempSync(join(tmpdir(), "slipway-clock-"));
    setClock(0);
    await start();
    await call("POST", "/openapi/projects/project", {
      project_key: "shop",
      project_name: "shop",
      project_type: "yaml",
    });
    const runtime = { infrastructure: "kubernetes", build_os: "ubuntu 20.04" };
    const script = { name: "gate", type: "freestyle", spec: { runtime, script_type: "shell", script: "true" } };
    const stages = [{ name: "one", jobs: [script] }];
    await call("POST", "/openapi/workflows/custom", { name: "ship", project: "shop", stages });
    const { id } = await call<{ id: string }>("POST", path, planBody({ manager: "admin" }));
    const spec = { workflow_key: "ship", project_key: "shop", inputs: [{ job_name: "gate" }] };
    const jobs = [{ name: "ship", type: "workflow", spec }];
    const schedule_execute_time = now() + seconds;
    await call("PATCH", `${path}/${id}`, planBody({ manager: "admin", jobs, schedule_execute_time }));
    for (const status of ["finish_planning", "executing"]) await call("POST", `${path}/${id}/status/${status}`);
    return id;
  }

  const statusOf = async (id: string) => (await call<{ status: string }>("GET", `${path}/${id}`)).status;
  const logOf = async (id: string) =>
    (await call<{ list: { detail: string }[] }>("GET", `${path}/${id}/logs`)).list.map(({ detail }) => detail);
  const untilRun = (id: string) =>
    waitFor("the plan to succeed", async () => (await statusOf(id)) === "success", lookSeconds);
  const untilMissed = (id: string) =>
    waitFor(
      "the missed schedule to be noted",
      async () => (await logOf(id)).some((detail) => detail.includes("was missed by")),
      lookSeconds,
    );

  /** The program stands still from before the schedule until so long behind it. */
  async function stoppedUntil(behind: number): Promise<string> {
    const id = await scheduled(40);
    await program.end("SIGKILL");
    setClock(40 + behind);
    await start();
    return id;
  }

  test("one that was missed by a few seconds while the program stood still runs at its start", async () => {
    const id = await stoppedUntil(3);
    await untilRun(id);
    expect(await logOf(id)).toContain("the scheduled time has come");
  });

  test("one that was missed by more than thirty seconds is noted and not run", async () => {
    const id = await stoppedUntil(60);
    await untilMissed(id);
    expect(await statusOf(id)).toBe("executing");
  });

  test("one that is far ahead is noted when the clock is put an hour forwards across it", async () => {
    const id = await scheduled(1800);
    setClock(hour);
    await untilMissed(id);
    expect(await statusOf(id)).toBe("executing");
  });

  test("one that is awaited does not run while the clock is an hour back, and ends once when it is right again", async () => {
    const id = await scheduled(8);
    setClock(-hour);
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    expect(await logOf(id)).not.toContain("the scheduled time has come");
    setClock(0);
    await waitFor(
      "the schedule to end",
      async () => (await logOf(id)).some((detail) => /scheduled time has come|was missed by/.test(detail)),
      lookSeconds,
    );
  });
});
