import { loadText, type StoredText, storeText } from "../clients/objects/objectStore.ts";
import { openCluster } from "../clusters/openCluster.ts";
import { applyOne } from "../deploy/applyOne.ts";
import { versionMark } from "../deploy/applyResult.ts";
import { checkOwnership } from "../deploy/checkOwnership.ts";
import { type PreparedObject, prepareObjects } from "../deploy/prepareObjects.ts";
import { readClusterFacts } from "../deploy/readClusterFacts.ts";
import { readLive } from "../deploy/readLive.ts";
import { editManifest, type ObjectEdit } from "../domain/manifest/editManifest.ts";
import type { KubeObject } from "../domain/manifest/kubeObject.ts";
import { parseManifest } from "../domain/manifest/parseManifest.ts";
import type { WorkloadName } from "../domain/manifest/replicas.ts";
import {
  type AppliedState,
  changeService,
  type EnvironmentRecord,
  type EnvironmentService,
  environmentMustBeQuiet,
  findManifest,
} from "../store/environments.ts";
import { ConditionFailed, type Item } from "../store/table.ts";
import { table } from "../store/theTable.ts";
import type { Write } from "../store/writes.ts";
import { applyScope } from "./applyScope.ts";
import { EnvironmentProblem } from "./failures.ts";
import { ownersOn } from "./resolveOwner.ts";

/** A service in its environment with one of its workloads as the last apply left it. */
export interface StandingWorkload {
  environment: Item<EnvironmentRecord>;
  service: Item<EnvironmentService>;
  object: KubeObject;
}

/** What an edit leads to: the object, what is remembered of it, and what is stored beside. */
export interface WorkloadEdit {
  object: KubeObject;
  set: Partial<EnvironmentService>;
  /** Written in the same transaction; called with the new manifest. */
  beside?: (text: StoredText) => Promise<Write[]>;
  /** Refused where an autoscaler decides how many pods there are. */
  scales?: boolean;
}

/**
 * Changes one workload of a service at once (contract P 5.7, 5.8): everything is checked first, then the whole object is
 * applied by force as our last manifest has it with the edit in it, then the record and the manifest follow. What another
 * request changed meanwhile is read again and nothing of it is lost.
 * @throws EnvironmentProblem for what stands in the way; ClusterError
 */
export async function changeWorkload(
  read: () => Promise<Omit<StandingWorkload, "object">>,
  workload: WorkloadName,
  edit: (standing: StandingWorkload) => Promise<WorkloadEdit>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const standing = await read();
    try {
      return await changeOnce(standing, workload, edit);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (tries === mostTries)
        throw new EnvironmentProblem("the service is being changed by others at the same moment; try again");
    }
  }
}

const mostTries = 5;

async function changeOnce(
  { environment, service }: Omit<StandingWorkload, "object">,
  workload: WorkloadName,
  edit: (standing: StandingWorkload) => Promise<WorkloadEdit>,
): Promise<void> {
  const { projectKey, envKey } = environment;
  const manifest = await findManifest(projectKey, envKey, service.name);
  const before = manifest === undefined ? "" : await loadText(manifest.text);
  const isWanted = ({ kind, metadata }: KubeObject) => kind === workload.kind && metadata.name === workload.name;
  const object = parseManifest(before).find(isWanted);
  if (manifest === undefined || object === undefined)
    throw new EnvironmentProblem(`${workload.kind} "${workload.name}" is not part of service ${service.name}`);
  const wanted = await edit({ environment, service, object });
  const mark = await applyWorkload(environment, service.name, wanted);
  const replace: ObjectEdit = (candidate) => (isWanted(candidate) ? wanted.object : candidate);
  const [text, state] = [await storeText(editManifest(before, replace)), await loadText(manifest.applied)];
  const applied: AppliedState = JSON.parse(state);
  const marks = { ...applied.marks, [mark.key]: mark.version };
  await table().write(
    environmentMustBeQuiet(environment),
    ...changeService(environment, service, wanted.set, {
      before: manifest,
      text,
      applied: await storeText(JSON.stringify({ ...applied, marks })),
    }),
    ...((await wanted.beside?.(text)) ?? []),
  );
}

async function applyWorkload(
  environment: EnvironmentRecord,
  service: string,
  { object, scales }: WorkloadEdit,
): Promise<{ key: string; version: string }> {
  const { client } = await openCluster(environment.clusterId);
  const scope = applyScope(environment, service);
  const facts = await readClusterFacts(client, [object], environment.namespace);
  const { objects, problems } = prepareObjects([object], scope, facts);
  const [one] = objects;
  if (one === undefined) throw new EnvironmentProblem(problems.map(({ message }) => message).join("; "));
  if (scales === true && one.autoscaled)
    throw new EnvironmentProblem(
      `a HorizontalPodAutoscaler decides the replicas of ${named(one)}; change its minReplicas and maxReplicas instead`,
    );
  const live = await readLive(client, [one.ref], environment.namespace);
  if (!live.has(one.key)) throw new EnvironmentProblem(`${named(one)} does not exist in the cluster`);
  const [conflict] = await checkOwnership(objects, live, scope, ownersOn(environment.clusterId));
  if (conflict !== undefined) throw new EnvironmentProblem(conflict.message);
  const applied = await applyOne(client, one, live.get(one.key), { recorded: {}, force: true, scope });
  return { key: one.key, version: versionMark(applied.object) };
}

function named({ ref }: PreparedObject): string {
  return `${ref.kind} "${ref.name}"`;
}
