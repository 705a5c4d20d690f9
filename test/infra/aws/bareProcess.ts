import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../infra/aws/functions/bundle.ts";

/** What Lambda's runtime does, in six lines: load the bundle, hand it events, send answers back. */
const runtime = `
import { handler } from "./index.mjs";
process.on("message", (event) => {
  handler(event, {}).then(
    (answer) => process.send({ answer }),
    (error) => process.send({ error: String(error?.stack ?? error) }),
  );
});
process.send({ ready: true });
`;

export interface BareProcess {
  /** @throws with the stack when the handler throws */
  invoke(event: unknown): Promise<unknown>;
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
  const next = () => nextMessage(child, () => complaints);
  await next();
  return {
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

async function nextMessage(
  child: ChildProcess,
  complaints: () => string,
): Promise<{ answer?: unknown; error?: string }> {
  const over = new AbortController();
  try {
    const [message] = await Promise.race([
      once(child, "message", over),
      once(child, "exit", over).then(([code]) => {
        throw new Error(`the process ended with exit code ${code}: ${complaints()}`);
      }),
    ]);
    return message as { answer?: unknown; error?: string };
  } finally {
    over.abort();
  }
}
