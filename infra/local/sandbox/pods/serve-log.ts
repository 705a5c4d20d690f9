import type { ServerResponse } from "node:http";
import { badRequest } from "../api/errors.ts";
import { dictsAt, type KubeObject, textAt } from "../model/object.ts";

export const playedLine = "the sandbox does not run containers; this pod's status is played";

/** Answers `pods/log` of a pod that is only played: one line that says so. */
export function serveLog(pod: KubeObject, query: URLSearchParams, response: ServerResponse): void {
  const container = chooseContainer(pod, query.get("container"));
  const status = [
    ...dictsAt(pod, "status", "containerStatuses"),
    ...dictsAt(pod, "status", "initContainerStatuses"),
  ].find((candidate) => candidate.name === container);
  const reason = textAt(status, "state", "waiting", "reason");
  if (!status || reason === "ImagePullBackOff") {
    const why = reason ? `trying and failing to pull image` : "ContainerCreating";
    throw badRequest(`container "${container}" in pod "${pod.metadata.name}" is waiting to start: ${why}`);
  }
  const time = query.get("timestamps") === "true" ? `${textAt(pod, "status", "startTime")} ` : "";
  response.writeHead(200, { "content-type": "text/plain" });
  response.end(`${time}${playedLine}\n`);
}

/** The container a log is asked of. Throws 400 when it is not said and not clear, or not there. */
export function chooseContainer(pod: KubeObject, asked: string | null): string {
  const names = dictsAt(pod, "spec", "containers").map((container) => textAt(container, "name"));
  const all = [...names, ...dictsAt(pod, "spec", "initContainers").map((container) => textAt(container, "name"))];
  if (!asked && names.length === 1) return names[0] ?? "";
  if (!asked) {
    const pick = pod.metadata.annotations?.["kubectl.kubernetes.io/default-container"];
    if (pick && all.includes(pick)) return pick;
    const init = all.slice(names.length);
    const more = init.length > 0 ? ` or one of the init containers: [${init.join(" ")}]` : "";
    throw badRequest(
      `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(" ")}]${more}`,
    );
  }
  if (!all.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${pod.metadata.name}`);
  return asked;
}
