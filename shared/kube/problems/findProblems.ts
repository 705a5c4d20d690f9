import { mapBounded } from "../../base/common/mapBounded.ts";
import { callBudget } from "../../base/outbound/callBudget.ts";
import type { CallOptions, ClusterClient, LiveObject } from "../client/ClusterClient.ts";
import { ClusterError } from "../client/errors.ts";
import { isCronJob, isPod, type LivePod } from "../live/liveTypes.ts";
import type { InstanceProblem } from "./instanceProblem.ts";
import { crashedContainers, logKey, podProblems } from "./podProblems.ts";
import { listWarnings, type Warning } from "./warnings.ts";
import { workloadProblems } from "./workloadProblems.ts";

const maxLogs = 5;
const lastLines = 5;
const maxLogBytes = 2048;
const logSeconds = 3;

/**
 * Why the live objects of a service do not run (decisions 6.7), causes before consequences. Where everything runs nothing
 * is asked; otherwise one LIST of warnings, and the last lines of at most five containers that ended.
 * @throws ClusterError
 */
export async function findProblems(
  client: ClusterClient,
  namespace: string,
  objects: readonly LiveObject[],
  call: CallOptions = {},
): Promise<InstanceProblem[]> {
  const watched = objects.filter((object) => object.metadata.deletionTimestamp === undefined && !isCronJob(object));
  if (!watched.some((object) => problemsOf(object, [], new Map()).length > 0 || isUnready(object))) return [];
  const [warnings, logs] = await Promise.all([
    listWarnings(client, namespace, call),
    lastWords(client, namespace, watched.filter(isPod)),
  ]);
  const byUid = Map.groupBy(warnings, ({ uid }) => uid);
  const of = (object: LiveObject) => problemsOf(object, byUid.get(object.metadata.uid ?? "") ?? [], logs);
  const [pods, others] = [watched.filter(isPod).flatMap(of), watched.filter((object) => !isPod(object)).flatMap(of)];
  return [...pods, ...others];
}

function problemsOf(
  object: LiveObject,
  warnings: readonly Warning[],
  logs: ReadonlyMap<string, string>,
): InstanceProblem[] {
  return isPod(object) ? podProblems(object, warnings, logs) : workloadProblems(object, warnings);
}

function isUnready(object: LiveObject): boolean {
  return isPod(object) && object.status?.containerStatuses?.every(({ ready }) => ready) === false;
}

async function lastWords(
  client: ClusterClient,
  namespace: string,
  pods: readonly LivePod[],
): Promise<Map<string, string>> {
  const crashed = pods.flatMap((pod) => crashedContainers(pod).map((status) => ({ pod, status })));
  const read = await mapBounded(crashed.slice(0, maxLogs), maxLogs, async ({ pod, status: { name, state } }) => {
    const text = await tailOf(client, { namespace, name: pod.metadata.name }, name, state?.terminated === undefined);
    return [logKey(pod, name), text] as const;
  });
  return new Map(read);
}

/** What the log lacks is no reason to say nothing. */
async function tailOf(
  client: ClusterClient,
  pod: { namespace: string; name: string },
  container: string,
  previous: boolean,
): Promise<string> {
  const limits = [AbortSignal.timeout(logSeconds * 1000), callBudget()];
  const signal = AbortSignal.any(limits.filter((limit) => limit !== undefined));
  const options = { container, tailLines: lastLines, previous, signal };
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of await client.podLog(pod, options)) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > maxLogBytes) break;
    }
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
  }
  return text.slice(0, maxLogBytes).trimEnd().replaceAll("\n", " ⏎ ");
}
