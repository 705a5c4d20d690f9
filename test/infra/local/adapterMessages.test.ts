import { randomBytes } from "node:crypto";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { threadFunction } from "../../../infra/local/threadFunction.ts";
import { provideAdapters } from "../../../shared/base/aws/adapters.ts";
import { completeTask } from "../../../shared/base/aws/states/stateMachines.ts";
import { eventually, startTestAws } from "./aws/harness.ts";
import { waitForToken } from "./aws/taskStates.ts";

const modules = new URL("../../../", import.meta.url).href;

/** Does in its thread, by the functions of shared/base/aws, what an event says. */
const entry = `
  import { parentPort, workerData } from "node:worker_threads";
  import { adaptersByMessages } from "${modules}infra/local/adapterMessages.ts";
  import { provideAdapters } from "${modules}shared/base/aws/adapters.ts";
  import { readStoredBytes } from "${modules}shared/base/aws/objects/objectStore.ts";
  import { seal, unseal } from "${modules}shared/base/aws/secrets/sealedSecret.ts";
  import { completeTask } from "${modules}shared/base/aws/states/stateMachines.ts";
  provideAdapters(adaptersByMessages(workerData.adapters));
  const loadHex = async (key) => (await readStoredBytes(key)).toString("hex");
  const work = { completeTask, seal, unseal, loadHex };
  parentPort.on("message", async ([what, ...values]) => {
    try {
      parentPort.postMessage({ answer: { result: await work[what](...values) } });
    } catch ({ name, message }) {
      parentPort.postMessage({ answer: { error: name + ": " + message } });
    }
  });`;
const thread = threadFunction(new URL(`data:text/javascript,${encodeURIComponent(entry)}`));
const inThread = (...event: unknown[]) =>
  thread.run(event, { signal: new AbortController().signal }) as Promise<{ result?: unknown; error?: string }>;

const owner = { record: "cluster/1", field: "kubeconfig" };

async function startWaiting() {
  const tokens: string[] = [];
  const take = async (event: unknown) => void tokens.push((event as { taskToken: string }).taskToken);
  const wait = { StartAt: "Wait", States: { Wait: waitForToken("take") } };
  const aws = await startTestAws({ functions: { take }, stateMachines: { wait } });
  await aws.stateMachines.start("wait", "one", "{}");
  await eventually(() => expect(tokens).toHaveLength(1));
  return { aws, token: tokens[0] ?? "" };
}

beforeEach(() => onTestFinished(() => thread.kill()));

test("a thread asks the adapters of the main thread: it settles a token, and once", async () => {
  const { aws, token } = await startWaiting();
  const both = await Promise.all([inThread("completeTask", token, { exit: 0 }), inThread("completeTask", token, {})]);
  expect(both.map(({ result }) => result).sort()).toEqual([false, true]);
  await eventually(async () => expect(await aws.stateMachines.status("wait", "one")).toBe("SUCCEEDED"));
  expect(aws.executions.get("wait", "one")?.output).toMatch(/^\{("exit":0)?\}$/);
});

test("secrets pass between threads, and a refusal is the adapter's own", async () => {
  await startTestAws();
  const { result: sealed } = await inThread("seal", "a kubeconfig", owner);
  expect(await inThread("unseal", sealed, owner)).toEqual({ result: "a kubeconfig" });
  expect(await inThread("unseal", sealed, { ...owner, record: "cluster/2" })).toEqual({
    error: expect.stringContaining("does not fit"),
  });
});

test("an object passes between threads byte for byte, and one that does not exist is said not to", async () => {
  const aws = await startTestAws();
  const content = randomBytes(300_000);
  await aws.objects.put({ key: "log", content, contentType: "text/plain" });
  expect(await inThread("loadHex", "log")).toEqual({ result: content.toString("hex") });
  expect((await inThread("loadHex", "none")).error).toContain("object none does not exist");
});

test("a thread that is killed while its call is answered takes nothing along", async () => {
  const { aws, token } = await startWaiting();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const settle = async (...values: [string, string]) => {
    ask();
    await released;
    return aws.stateMachines.settle(...values);
  };
  provideAdapters({ ...aws.adapters, stateMachines: { ...aws.stateMachines, settle } });
  const killed = expect(inThread("completeTask", token, {})).rejects.toThrow("ended with code");
  await asked;
  await thread.kill();
  await killed;
  release();
  await eventually(async () => expect(await aws.stateMachines.status("wait", "one")).toBe("SUCCEEDED"));
  expect(await completeTask(token, {})).toBe(false);
});
