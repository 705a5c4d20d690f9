import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { badRequest } from "../api/errors.ts";
import type { ServeLog } from "../http/serve.ts";
import { at, type Dict, dictsAt, isDict, type KubeObject, textAt } from "../model/object.ts";
import type { Store } from "../store/store.ts";
import { playedAnnotation } from "./kubelet.ts";
import { readLog, shownLines } from "./logFile.ts";
import type { LogOptions } from "./logOptions.ts";
import { readState } from "./processRunner.ts";

export const playedLine = "the sandbox does not run containers; this pod's status is played";

interface Asked extends LogOptions {
  container: string;
}

/** Answers `pods/log`: the real lines of a pod that ran, one line of explanation for one that is played. */
export function logServer(runner: { folderOf(pod: KubeObject): string }, store: Store): ServeLog {
  return async (pod, options, response) => {
    const asked = { ...options, container: chooseContainer(pod, options.container) };
    if (asked.previous)
      throw badRequest(`previous terminated container "${asked.container}" in pod "${pod.metadata.name}" not found`);
    const left = new AbortController();
    response.once("close", () => left.abort());
    const lines = pod.metadata.annotations?.[playedAnnotation]
      ? playedLog(pod, asked, store, left.signal)
      : ranLog(pod, asked, { folder: runner.folderOf(pod), store, signal: left.signal });
    await send(lines, asked.limitBytes, response);
  };
}

/** As a kubelet does it: the answer begins with its first byte, so that a log without lines stays silent. */
async function send(lines: AsyncIterable<Buffer>, limitBytes: number | undefined, response: ServerResponse) {
  response.writeHead(200, { "content-type": "text/plain" });
  // Who asked may leave at any time.
  await pipeline(Readable.from(limited(lines, limitBytes)), response).catch(() => undefined);
}

async function* limited(lines: AsyncIterable<Buffer>, limitBytes = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  let left = limitBytes;
  for await (const text of lines) {
    yield text.length <= left ? text : text.subarray(0, left);
    left -= text.length;
    if (left <= 0) return;
  }
}

function ranLog(
  pod: KubeObject,
  asked: Asked,
  { folder, store, signal }: { folder: string; store: Store; signal: AbortSignal },
): AsyncIterable<Buffer> {
  const { container } = asked;
  const run = readState(folder)?.containers[container];
  if (!run || run.phase === "waiting") throw notStarted(pod, container, "PodInitializing");
  const isWritten = () => {
    const state = readState(folder);
    return state?.containers[container]?.phase === "running" && !state.done && !hasStopped(store, pod, container);
  };
  return readLog(join(folder, "logs", container), asked, isWritten, signal);
}

/** What a node answers for the log of a container that waits before its first start, by why it waits. */
const notBegun = new Map([
  ["ImagePullBackOff", "trying and failing to pull image"],
  ["PodInitializing", "PodInitializing"],
  ["ContainerCreating", "ContainerCreating"],
]);

function playedLog(pod: KubeObject, asked: Asked, store: Store, signal: AbortSignal): AsyncIterable<Buffer> {
  const status = statusOf(pod, asked.container);
  const waiting = textAt(status, "state", "waiting", "reason");
  if (!status || notBegun.has(waiting ?? ""))
    throw notStarted(pod, asked.container, (waiting && notBegun.get(waiting)) || "ContainerCreating");
  return (async function* () {
    const line = Buffer.from(`${textAt(pod, "status", "startTime")} ${playedLine}\n`);
    const text = asked.tailLines === 0 ? Buffer.alloc(0) : shownLines(line, asked);
    if (text.length > 0) yield text;
    if (asked.follow) await stopped(store, pod, asked.container, signal);
  })();
}

/** Settles when the container no longer runs, the pod is gone, or the caller no longer waits. */
function stopped(store: Store, pod: KubeObject, container: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted || hasStopped(store, pod, container)) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      unsubscribe();
      resolve();
    };
    const unsubscribe = store.subscribe("pods", () => void (hasStopped(store, pod, container) && end()));
    signal.addEventListener("abort", end, { once: true });
  });
}

function hasStopped(store: Store, { metadata }: KubeObject, container: string): boolean {
  const live = store.get("pods", metadata.namespace ?? "", metadata.name);
  return live?.metadata.uid !== metadata.uid || !isDict(at(statusOf(live, container), "state", "running"));
}

function statusOf(pod: KubeObject, container: string): Dict | undefined {
  const all = [...dictsAt(pod, "status", "containerStatuses"), ...dictsAt(pod, "status", "initContainerStatuses")];
  return all.find(({ name }) => name === container);
}

function notStarted(pod: KubeObject, container: string, why: string) {
  return badRequest(`container "${container}" in pod "${pod.metadata.name}" is waiting to start: ${why}`);
}

/** The container a log is asked of. Throws 400 when it is not said and not clear, or not there. */
function chooseContainer(pod: KubeObject, asked: string | undefined): string {
  const namesIn = (list: string) => dictsAt(pod, "spec", list).map((container) => textAt(container, "name"));
  const names = namesIn("containers");
  const all = [...namesIn("initContainers"), ...names];
  if (asked !== undefined) {
    if (all.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${pod.metadata.name}`);
  }
  if (names.length === 1) return names[0] ?? "";
  throw badRequest(
    `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${all.join(" ")}]`,
  );
}
