import { AsyncLocalStorage } from "node:async_hooks";
import { expect, it } from "vitest";
import { eventually, startTestAws, temporaryFolder } from "./harness.ts";

it("runs a function by its name, JSON in and JSON out", async () => {
  const { functions } = await startTestAws({
    functions: { double: async (event) => ({ event, undefined: undefined }), nothing: async () => undefined },
  });
  expect(await functions.invoke("double", '{"n":1}')).toEqual({ failed: false, answer: '{"event":{"n":1}}' });
  expect(await functions.invoke("nothing", "{}")).toEqual({ failed: false, answer: "null" });
});

it("answers a throw as a failure with type and message", async () => {
  const fail = async () => {
    throw new RangeError("too far");
  };
  const { functions } = await startTestAws({ functions: { fail } });
  const { failed, answer } = await functions.invoke("fail", "{}");
  expect([failed, JSON.parse(answer)]).toMatchObject([true, { errorType: "RangeError", errorMessage: "too far" }]);
});

it("names a function that does not exist, also for events and for names of Object's own", async () => {
  const { functions } = await startTestAws();
  for (const name of ["missing", "constructor"]) {
    await expect(functions.invoke(name, "{}")).rejects.toThrow(`Function not found: ${name}`);
    await expect(functions.invokeLater(name, "{}")).rejects.toThrow(`Function not found: ${name}`);
  }
});

it("takes 6 MiB, of an event 1 MiB, and not more", async () => {
  const { functions } = await startTestAws({ functions: { size: async (event) => String(event).length } });
  const ofSize = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));
  const mebibyte = 1024 * 1024;
  expect(await functions.invoke("size", ofSize(6 * mebibyte))).toMatchObject({ failed: false });
  await expect(functions.invoke("size", ofSize(6 * mebibyte + 1))).rejects.toThrow("at most");
  await functions.invokeLater("size", ofSize(mebibyte));
  await expect(functions.invokeLater("size", ofSize(mebibyte + 1))).rejects.toThrow("at most");
});

it("runs a function apart from the call that asked for it, as a process of its own would", async () => {
  const caller = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const look = async () => void seen.push(caller.getStore());
  const { functions } = await startTestAws({ functions: { look } });
  await caller.run("a request", async () => {
    await functions.invoke("look", "{}");
    await functions.invokeLater("look", "{}");
  });
  await eventually(() => expect(seen).toEqual([undefined, undefined]));
});

it("accepts an event before the function ends and tries a failing one three times", async () => {
  let calls = 0;
  const fail = async () => {
    calls += 1;
    throw new Error("no");
  };
  const aws = await startTestAws({ functions: { fail } });
  await aws.functions.invokeLater("fail", "{}");
  expect(calls).toBe(0);
  await eventually(() => expect(calls).toBe(3));
  await eventually(() => expect(aws.log.filter((line) => line.includes("event for fail failed"))).toHaveLength(3));
  await aws.close();
  let again = 0;
  const count = async () => {
    again += 1;
  };
  const next = await startTestAws({ dataDir: aws.dataDir, functions: { fail: count } });
  await next.functions.invoke("fail", "{}");
  expect(again).toBe(1);
});

it("delivers an event that was accepted before a restart", async () => {
  const dataDir = temporaryFolder();
  const hang = (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("closing"))));
  const before = await startTestAws({ dataDir, functions: { work: hang } });
  await before.functions.invokeLater("work", '{"id":1}');
  await before.close();
  const seen: unknown[] = [];
  await startTestAws({ dataDir, functions: { work: async (event) => void seen.push(event) } });
  await eventually(() => expect(seen).toEqual([{ id: 1 }]));
});
