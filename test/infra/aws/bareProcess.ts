import { type ChildProcess, fork } from "node:child_process";
import { on, once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../infra/aws/functions/bundle.ts";

/**
 * What Lambda's runtime does, in few lines: load the bundle, hand it events, send answers back. Of a function that streams
 * it takes the bytes as they are written, and API Gateway's part is done here too: the answer is read from them.
 */
const runtime = `
import { Writable } from "node:stream";
const streaming = Symbol("streams");
globalThis.awslambda = { streamifyResponse: (handler) => Object.assign(handler, { [streaming]: true }) };
const { handler } = await import("./index.mjs");
async function stream(event) {
  const chunks = [];
  const out = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      process.send({ chunk: chunk.toString("utf8") }, done);
    },
  });
  out.setContentType = (type) => { out.contentType = type; };
  await handler(event, out, {});
  if (!out.writableFinished) throw new Error("the stream was not ended");
  if (out.contentType !== "application/vnd.awslambda.http-integration-response") throw new Error(String(out.contentType));
  const all = Buffer.concat(chunks);
  const end = all.indexOf(Buffer.alloc(8));
  return { ...JSON.parse(all.subarray(0, end)), body: all.subarray(end + 8).toString("utf8") };
}
process.on("message", (event) => {
  (handler[streaming] ? stream(event) : handler(event, {})).then(
    (answer) => process.send({ answer }),
    (error) => process.send({ error: String(error?.stack ?? error) }),
  );
});
process.send({ ready: true });
`;

export interface BareProcess {
  /** @throws with the stack when the handler throws */
  invoke(event: unknown): Promise<unknown>;
  /** What functions that stream have written so far. */
  streamed(): string;
  stop(): Promise<void>;
}

/** A Node process of its own in the bundle's folder: no node_modules above it, no variables but those given. */
export async function startBareProcess(
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<BareProcess> {
  const file = join(directory, "runtime.mjs");
  writeFileSync(file, runtime);
  const child = fork(file, {
    cwd: directory,
    env: { ...environment, SLIPWAY_LOG_FILE: join(directory, "log.ndjson") },
    execPath: join(root, "node_modules/.bin/node"),
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let complaints = "";
  child.stderr?.on("data", (chunk) => {
    complaints += String(chunk);
  });
  let streamed = "";
  child.on("message", (message: Message) => {
    streamed += message.chunk ?? "";
  });
  const next = () => nextMessage(child, () => complaints);
  await next();
  return {
    streamed: () => streamed,
    invoke: async (event) => {
      const answered = next();
      child.send(event as object);
      const { answer, error } = await answered;
      if (error !== undefined) throw new Error(error);
      return answer;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

interface Message {
  answer?: unknown;
  error?: string;
  /** A piece of an answer that is not complete. */
  chunk?: string;
}

async function nextMessage(child: ChildProcess, complaints: () => string): Promise<Message> {
  const over = new AbortController();
  const ended = once(child, "exit", over).then(([code]) => {
    throw new Error(`the process ended with exit code ${code}: ${complaints()}`);
  });
  try {
    return await Promise.race([wholeMessage(child, over.signal), ended]);
  } finally {
    over.abort();
  }
}

async function wholeMessage(child: ChildProcess, signal: AbortSignal): Promise<Message> {
  for await (const [message] of on(child, "message", { signal })) if (message.chunk === undefined) return message;
  throw new Error("no message came");
}
