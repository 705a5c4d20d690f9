import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { badRequest } from "../api/errors.ts";
import type { ServeLog } from "../http/serve.ts";
import { dictsAt, type KubeObject, textAt } from "../model/object.ts";
import { playedAnnotation } from "./kubelet.ts";
import { readState } from "./runner.ts";

export const playedLine = "the sandbox does not run containers; this pod's status is played";

const followMilliseconds = 50;

/** Answers `pods/log`: the real lines of a pod that ran, one line of explanation for one that is played. */
export function logServer(runner: { folderOf(pod: KubeObject): string }): ServeLog {
  return (pod, query, response) => {
    const container = chooseContainer(pod, query.get("container"));
    const folder = runner.folderOf(pod);
    if (pod.metadata.annotations?.[playedAnnotation]) return servePlayed(pod, container, query, response);
    const path = join(folder, "logs", container);
    const run = readState(folder)?.containers[container];
    if (!run || run.phase === "waiting") throw notStarted(pod, container, "PodInitializing");
    response.writeHead(200, { "content-type": "text/plain" });
    const select = lineFilter(query);
    let offset = 0;
    const text = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    offset = text.length;
    writeLines(response, tail(splitLines(text).filter(select), query), query);
    if (!isOn(query, "follow")) return void response.end();
    follow(
      response,
      path,
      offset,
      query,
      () => readState(folder)?.containers[container]?.phase === "running" && !readState(folder)?.done,
    );
  };
}

function servePlayed(pod: KubeObject, container: string, query: URLSearchParams, response: ServerResponse): void {
  const all = [...dictsAt(pod, "status", "containerStatuses"), ...dictsAt(pod, "status", "initContainerStatuses")];
  const status = all.find((candidate) => candidate.name === container);
  const waiting = textAt(status, "state", "waiting", "reason");
  if (!status || waiting === "ImagePullBackOff") {
    throw notStarted(pod, container, waiting ? "trying and failing to pull image" : "ContainerCreating");
  }
  response.writeHead(200, { "content-type": "text/plain" });
  response.end(`${isOn(query, "timestamps") ? `${textAt(pod, "status", "startTime")} ` : ""}${playedLine}\n`);
}

function notStarted(pod: KubeObject, container: string, why: string) {
  return badRequest(`container "${container}" in pod "${pod.metadata.name}" is waiting to start: ${why}`);
}

function isOn(query: URLSearchParams, name: string): boolean {
  return query.get(name) === "true" || query.get(name) === "1";
}

function splitLines(text: Buffer): string[] {
  const lines = text.toString("utf8").split("\n");
  lines.pop();
  return lines;
}

function lineFilter(query: URLSearchParams): (line: string) => boolean {
  const seconds = Number(query.get("sinceSeconds") ?? 0);
  const since = seconds > 0 ? new Date(Date.now() - seconds * 1_000) : new Date(query.get("sinceTime") ?? 0);
  return (line) => !(Date.parse(line.slice(0, line.indexOf(" "))) < since.getTime());
}

function tail(lines: string[], query: URLSearchParams): string[] {
  const asked = query.get("tailLines");
  if (asked === null) return lines;
  const count = Number(asked);
  if (!Number.isInteger(count) || count < 0) throw badRequest("tailLines: must be greater than or equal to 0");
  return count === 0 ? [] : lines.slice(-count);
}

function writeLines(response: ServerResponse, lines: string[], query: URLSearchParams): void {
  if (lines.length === 0) return;
  const stamped = isOn(query, "timestamps");
  const text = lines.map((line) => `${stamped ? line : line.slice(line.indexOf(" ") + 1)}\n`).join("");
  const limit = Number(query.get("limitBytes") ?? 0);
  response.write(limit > 0 ? Buffer.from(text).subarray(0, limit) : text);
}

/** Sends what is appended until the container has ended and everything is sent. */
function follow(
  response: ServerResponse,
  path: string,
  from: number,
  query: URLSearchParams,
  isRunning: () => boolean | undefined,
): void {
  let offset = from;
  let rest = Buffer.alloc(0);
  const timer = setInterval(() => {
    const running = isRunning();
    const added = readFrom(path, offset);
    offset += added.length;
    const all = Buffer.concat([rest, added]);
    const end = all.lastIndexOf(10) + 1;
    rest = all.subarray(end);
    writeLines(response, splitLines(all.subarray(0, end)), query);
    if (!running) {
      clearInterval(timer);
      response.end();
    }
  }, followMilliseconds);
  response.on("close", () => clearInterval(timer));
}

function readFrom(path: string, offset: number): Buffer {
  if (!existsSync(path)) return Buffer.alloc(0);
  const length = statSync(path).size - offset;
  if (length <= 0) return Buffer.alloc(0);
  const file = openSync(path, "r");
  const buffer = Buffer.alloc(length);
  const read = readSync(file, buffer, 0, length, offset);
  closeSync(file);
  return buffer.subarray(0, read);
}

/** The container a log is asked of. Throws 400 when it is not said and not clear, or not there. */
export function chooseContainer(pod: KubeObject, asked: string | null): string {
  const names = dictsAt(pod, "spec", "containers").map((container) => textAt(container, "name"));
  const init = dictsAt(pod, "spec", "initContainers").map((container) => textAt(container, "name"));
  if (asked) {
    if ([...names, ...init].includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${pod.metadata.name}`);
  }
  if (names.length === 1) return names[0] ?? "";
  const more = init.length > 0 ? ` or one of the init containers: [${init.join(" ")}]` : "";
  throw badRequest(
    `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(" ")}]${more}`,
  );
}
