import { conditionOf } from "../live/conditions.ts";
import type { ContainerStatus, LivePod } from "../live/liveTypes.ts";
import { type InstanceProblem, problemsOf } from "./instanceProblem.ts";
import { crashSentence, imageSentence, missingSentence, probeSentence } from "./sentences.ts";
import type { Warning } from "./warnings.ts";

const imageReasons = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "ErrImageNeverPull",
  "InvalidImageName",
  "ImageInspectError",
  "RegistryUnavailable",
  "SignatureValidationFailed",
]);
const beforeStart = new Set(["ContainerCreating", "PodInitializing"]);

/** Names the log that tells why a container ended, as `logs` of `podProblems` does. */
export const logKey = (pod: LivePod, container: string): string => `${pod.metadata.name}/${container}`;

/** Containers that ended where they should run on, whose last lines may tell why. */
export function crashedContainers(pod: LivePod): ContainerStatus[] {
  if (pod.status?.phase === "Succeeded") return [];
  return statusesOf(pod).filter((status) => endOf(status) !== undefined);
}

/**
 * What keeps a pod from running: the causes by container, or that it finds no node.
 * @param warnings about this pod, newest last
 * @param logs last lines of crashed containers by `logKey`
 */
export function podProblems(
  pod: LivePod,
  warnings: readonly Warning[],
  logs: ReadonlyMap<string, string>,
): InstanceProblem[] {
  const { status = {}, metadata } = pod;
  if (status.phase === "Succeeded") return [];
  const problem = problemsOf(pod);
  const scheduled = conditionOf(pod, "PodScheduled");
  if (scheduled?.status === "False")
    return [problem(scheduled.reason, `no node can take the pod: ${scheduled.message}`, scheduled.lastTransitionTime)];
  const since = conditionOf(pod, "ContainersReady")?.lastTransitionTime || metadata.creationTimestamp;
  const found = [
    ...statusesOf(pod).flatMap((one) => containerProblem(pod, one, { since, warnings, logs }) ?? []),
    ...mountProblems(pod, warnings),
  ];
  if (found.length > 0 || status.phase !== "Failed") return found;
  return [problem(status.reason ?? "Failed", status.message ?? "the pod failed", since)];
}

interface Context {
  since: string | undefined;
  warnings: readonly Warning[];
  logs: ReadonlyMap<string, string>;
}

function containerProblem(
  pod: LivePod,
  status: ContainerStatus,
  { since, warnings, logs }: Context,
): InstanceProblem | undefined {
  const { name, image = "", state = {}, ready, restartCount = 0 } = status;
  const problem = problemsOf(pod);
  const own = warnings.filter(({ container }) => container === undefined || container === name);
  const { reason = "", message = "" } = state.waiting ?? {};
  if (imageReasons.has(reason)) {
    const told = own.findLast((warning) => warning.reason === "Failed" && warning.message.includes(image));
    return problem(reason, imageSentence(name, imageOf(pod, name) ?? image, told?.message ?? message), since);
  }
  const ended = endOf(status);
  if (ended !== undefined) {
    const crash = {
      container: name,
      exitCode: ended.exitCode,
      reason: ended.reason ?? "",
      message: ended.message ?? "",
      restarts: restartCount,
      lastLines: logs.get(logKey(pod, name)) ?? "",
    };
    const probe = own.findLast((warning) => /^(Liveness|Startup) probe/.test(warning.message));
    const killed = probe && probeSentence(name, probe.message);
    return problem(reason || ended.reason || "Error", killed ?? crashSentence(crash), ended.finishedAt ?? since);
  }
  if (state.waiting !== undefined && !beforeStart.has(reason)) {
    const missing = missingSentence(message);
    const why = missing ?? (message || reason || "it waits");
    return problem(reason || "Waiting", `container ${name} cannot start: ${why}`, since);
  }
  if (state.running === undefined || ready === true) return undefined;
  const probe = own.findLast((warning) => warning.reason === "Unhealthy");
  const sentence = probe && probeSentence(name, probe.message);
  return sentence === undefined ? undefined : problem("Unhealthy", sentence, probe?.firstSeen);
}

/** How a container that should run ended: now, or before it was started again and waits for that. */
function endOf({ state = {}, lastState = {}, ready }: ContainerStatus) {
  const now = state.terminated;
  if (now !== undefined) return now.exitCode === 0 ? undefined : now;
  const before = state.waiting?.reason === "CrashLoopBackOff" || ready !== true ? lastState.terminated : undefined;
  if (state.waiting?.reason === "CrashLoopBackOff") return before ?? {};
  return before === undefined || before.exitCode === 0 || imageReasons.has(state.waiting?.reason ?? "")
    ? undefined
    : before;
}

function mountProblems(pod: LivePod, warnings: readonly Warning[]): InstanceProblem[] {
  const waits = statusesOf(pod).some(({ state }) => beforeStart.has(state?.waiting?.reason ?? ""));
  const told = warnings.findLast(({ reason }) => reason === "FailedMount" || reason === "FailedAttachVolume");
  if (!waits || told === undefined) return [];
  const volume = /for volume "([^"]+)"/.exec(told.message)?.[1];
  const why = missingSentence(told.message) ?? told.message;
  const what = volume === undefined ? "a volume of the pod" : `volume ${volume}`;
  return [problemsOf(pod)(told.reason, `${what} cannot be mounted: ${why}`, told.firstSeen)];
}

function statusesOf({ status = {} }: LivePod): ContainerStatus[] {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
}

/** As the manifest names it; the status may spell it out. */
function imageOf({ spec = {} }: LivePod, container: string): string | undefined {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? [])].find(({ name }) => name === container)?.image;
}
