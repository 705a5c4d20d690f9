import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { boutique } from "../harness/boutique.ts";
import { slipwayProgram } from "./slipwayProgram.ts";

/** A person's own home and data folder, and the command line there. */
function newcomer() {
  const home = mkdtempSync(join(tmpdir(), "slipway-newcomer-"));
  const data = join(home, "data");
  const env = {
    ...{ HOME: home, SLIPWAY_DATA_DIR: data, SLIPWAY_PORT: "0", SLIPWAY_REGISTRY_PORT: "0" },
    NODE_COMPILE_CACHE: join(tmpdir(), "slipway-compile-cache"),
  };
  const run = slipwayProgram(env);
  const leave = async () => {
    await run("down");
    rmSync(home, { recursive: true, force: true });
  };
  return { home, data, env, run, leave };
}

describe("the demo", () => {
  const { home, data, env, run, leave } = newcomer();
  let first: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    first = await slipwayProgram({ ...env, KUBECONFIG: join(home, "somebody-elses-cluster") })("demo");
  }, 120_000);
  afterAll(leave);

  test("deploys Online Boutique, and says where the console is, how to sign in, what comes next and how to stop", async () => {
    expect(first).toMatchObject({ code: 0 });
    const [, console = "", password = ""] =
      /^ {2}Console +(\S+)\n {2}Sign in +account admin, password (\S+)/m.exec(first.out) ?? [];
    expect((await fetch(console)).status).toBe(200);
    const signIn = await fetch(`${new URL(console).origin}/api/v1/login`, {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify({ account: "admin", password }),
    });
    expect(signIn.status).toBe(200);
    const [, steps = ""] = /^Try next:\n((?: {2}.*\n)+)/m.exec(first.out) ?? [];
    expect(steps.split("\n").filter(Boolean).length).toBeLessThanOrEqual(3);
    expect(first.out).toContain(`\`rm -r ${data}\` removes its data`);
    const status = await run("-o", "json", "status", "dev", "-p", "online-boutique");
    const { services } = JSON.parse(status.out) as { services: { status: string }[] };
    expect(services.map((service) => service.status)).toEqual([...boutique.keys()].map(() => "running"));
  });

  test("goes into the sandbox cluster whatever KUBECONFIG names, and says so; each step is one line in a pipe", () => {
    expect(first.err.split("\n")).toEqual([
      expect.stringMatching(/^KUBECONFIG is not used/),
      "Starting Slipway",
      "Deploying Online Boutique",
      // Where it was built before, nobody waits for it.
      ...(first.err.includes("Building the console") ? ["Building the console"] : []),
      "",
    ]);
    expect(readFileSync(join(data, "up.log"), "utf8")).not.toMatch(/warning/i);
  });

  test("changes nothing the second time and says so, also after a stop", { timeout: 60_000 }, async () => {
    const lastChange = async () => {
      const status = await run("-o", "json", "status", "dev", "-p", "online-boutique");
      return (JSON.parse(status.out) as { update_time: number }).update_time;
    };
    const before = await lastChange();
    expect(await run("demo")).toMatchObject({ code: 0, out: expect.stringContaining("nothing was changed"), err: "" });
    expect(await run("down")).toMatchObject({ code: 0 });
    // On another port, as any free one is taken.
    expect(await run("demo")).toMatchObject({
      ...{ code: 0, out: expect.stringContaining("nothing was changed") },
      err: expect.stringContaining("Starting Slipway\n"),
    });
    expect(await lastChange()).toBe(before);
  });
});

describe("up", () => {
  test("says which port is taken and what to do; the start after it is the first one", {
    timeout: 60_000,
  }, async () => {
    const { home, run, leave } = newcomer();
    onTestFinished(leave);
    const taken = createServer();
    await new Promise<void>((done) => taken.listen(0, "127.0.0.1", done));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const refused = await run("up", "--port", String(port));
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toBe(
      `slipway: Slipway did not start: port ${port} is in use: stop what uses it, or choose another one with --port\n`,
    );
    expect(await run("up")).toMatchObject({ code: 0, out: expect.stringMatching(/account admin, password \S+/) });

    // A second Slipway takes no sign-in away.
    const other = join(home, "other");
    onTestFinished(async () => void (await run("down", "--data", other)));
    expect(await run("up", "--data", other)).toMatchObject({ code: 0 });
    const contexts = JSON.parse((await run("-o", "json", "context")).out) as { name: string }[];
    expect(contexts).toHaveLength(2);
    for (const { name } of contexts) expect(await run("--context", name, "status")).toMatchObject({ code: 0 });
  });

  test("signs in with SLIPWAY_ADMIN_TOKEN, at the first start and at a later one", { timeout: 60_000 }, async () => {
    const { run, env, leave } = newcomer();
    onTestFinished(leave);
    for (const token of ["chosen-for-the-first-start-0123456789", "chosen-for-a-later-start-01234567890"]) {
      const withToken = slipwayProgram({ ...env, SLIPWAY_ADMIN_TOKEN: token });
      expect(await withToken("up")).toMatchObject({ code: 0 });
      expect(await run("status")).toMatchObject({ code: 0 });
      expect(await run("context", "token")).toMatchObject({ out: `${token}\n` });
      expect(await run("down")).toMatchObject({ code: 0 });
    }
  });
});
