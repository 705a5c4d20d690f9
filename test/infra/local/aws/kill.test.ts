import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished, vi } from "vitest";
import { executionEnd, startTestAws, temporaryFolder } from "./harness.ts";
import { killMachines } from "./killMachines.ts";

const PATIENCE = { timeout: 90_000, interval: 25 };

/** The adapters in a program of its own; it answers a deed by its own line when it is done. */
async function startChild(dataDir: string) {
  const script = path.join(import.meta.dirname, "killChild.ts");
  const child = spawn(process.execPath, [script, dataDir], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  child.stdin.on("error", () => undefined);
  const done: string[] = [];
  createInterface(child.stdout).on("line", (line) => void done.push(line));
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  await vi.waitFor(() => expect(done).toContain("ready"), PATIENCE);
  return {
    ask: (...deed: string[]) => void child.stdin.write(`${JSON.stringify(deed)}\n`),
    /** Names of what was done of a kind. */
    done: (kind: string) =>
      done
        // The last one may have been cut by the kill.
        .filter((line) => line.startsWith("[") && line.endsWith("]"))
        .map((line) => JSON.parse(line) as string[])
        .flatMap(([what, name = ""]) => (what === kind ? [name] : [])),
    kill,
  };
}

const calls = (dataDir: string) => {
  const file = path.join(dataDir, "calls");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};

async function restart(dataDir: string) {
  const ran: string[] = [];
  const tokens: string[] = [];
  const aws = await startTestAws({
    dataDir,
    stateMachines: killMachines,
    functions: {
      first: async () => {
        ran.push("first");
        return { seconds: 0 };
      },
      second: async () => "finished",
      token: async (event) => void tokens.push((event as { taskToken: string }).taskToken),
      event: async () => void ran.push("event"),
    },
  });
  return { aws, ran, tokens };
}

it.each([
  ["function", "second"],
  ["token", "token"],
] as const)(
  "an execution killed in a %s is run again from its start and finishes",
  async (machine, step) => {
    const dataDir = temporaryFolder();
    const child = await startChild(dataDir);
    child.ask(machine, "a-1", '{"id":1}');
    await vi.waitFor(() => expect(calls(dataDir)).toContain(step), PATIENCE);
    await child.kill();

    const { aws, ran, tokens } = await restart(dataDir);
    if (machine === "token") {
      await vi.waitFor(() => expect(tokens).toHaveLength(1), PATIENCE);
      expect(await aws.stateMachines.settle(tokens[0] ?? "", '"finished"')).toBe(true);
    }
    const end = await executionEnd(aws, machine, "a-1");
    expect(end).toMatchObject({ status: "SUCCEEDED", name: "a-1", input: '{"id":1}', result: "finished" });
    expect(ran).toEqual(["first"]);
  },
  120_000,
);

it("an execution killed in a Wait state finishes", async () => {
  const dataDir = temporaryFolder();
  const child = await startChild(dataDir);
  child.ask("wait", "b-1", "{}");
  await vi.waitFor(() => expect(calls(dataDir)).toContain("first"), PATIENCE);
  await child.kill();
  const { aws } = await restart(dataDir);
  expect(await executionEnd(aws, "wait", "b-1")).toMatchObject({ status: "SUCCEEDED", result: "finished" });
}, 120_000);

it("whatever was answered before the kill is there after it: executions, events, objects", async () => {
  const dataDir = temporaryFolder();
  const child = await startChild(dataDir);
  child.ask("event", "event", "{}");
  for (let index = 0; index < 60; index += 1) {
    child.ask("put", `object-${index}`, `object-${index}`.repeat(1000));
    child.ask("function", `c-${index}`, "{}");
  }
  await vi.waitFor(() => expect(child.done("put").length).toBeGreaterThanOrEqual(15), { ...PATIENCE, interval: 1 });
  await child.kill();
  const [accepted, stored] = [child.done("function"), child.done("put")];
  expect(child.done("event")).toEqual(["event"]);
  expect(accepted.length).toBeGreaterThanOrEqual(15);

  const { aws, ran } = await restart(dataDir);
  for (const name of accepted) expect(await executionEnd(aws, "function", name)).toMatchObject({ status: "SUCCEEDED" });
  for (const key of stored) {
    const content = await aws.objects.open(key);
    expect(content && (await text(content))).toBe(key.repeat(1000));
  }
  await vi.waitFor(() => expect(ran).toContain("event"), PATIENCE);
}, 120_000);

it("two programs do not share one folder", async () => {
  const dataDir = temporaryFolder();
  await startChild(dataDir);
  await expect(startTestAws({ dataDir })).rejects.toThrow("another program is using the data");
}, 120_000);
