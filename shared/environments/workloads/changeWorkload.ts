import { readStoredText, type StoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, type Item } from "../../base/store/tableClient.ts";
import type { Write } from "../../base/store/writes.ts";
import { adoptableManagers } from "../../kube/apply/adoptFields.ts";
import { applyOne } from "../../kube/apply/applyOne.ts";
import { versionMark } from "../../kube/apply/applyResult.ts";
import { checkOwnership } from "../../kube/apply/checkOwnership.ts";
import { type PreparedObject, prepareObjects } from "../../kube/apply/prepareObjects.ts";
import type { ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { readLive } from "../../kube/live/readLive.ts";
import { readClusterFacts } from "../../kube/readClusterFacts.ts";
import { editManifest, type ObjectEdit } from "../../manifest/edit/editManifest.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import type { WorkloadName } from "../../manifest/replicas.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { applyScope } from "../apply/applyScope.ts";
import { EnvironmentBusy, EnvironmentProblem } from "../failures.ts";
import type { Standing } from "../plan/standingService.ts";
import { ownersOn } from "../resolveOwner.ts";
import {
  type AppliedState,
  changeMustBeCurrent,
  changeService,
  type EnvironmentManifest,
  type EnvironmentRecord,
  type EnvironmentService,
  findManifest,
} from "../store/environments.ts";
import { imageWrites } from "../store/imageUses.ts";
import { requireNoRollout } from "./requireNoRollout.ts";

/** A service in its environment with one of its workloads as the last apply left it. */
export interface StandingWorkload extends Standing {
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

/** Whose workload is edited, which one, and how. */
export interface WorkloadChange {
  /** The service, where it has just been read. */
  found?: Standing | undefined;
  /** Called where it was not, and when another request changed what was read. */
  read: () => Promise<Standing>;
  workload: WorkloadName;
  edit: (standing: StandingWorkload) => Promise<WorkloadEdit>;
  /** The task that asks, where it rolls the workload out. */
  rollout?: string | undefined;
}

/**
 * Changes one workload of a service at once (contract P 5.7, 5.8): everything is checked first, then the whole object is
 * applied by force as our last manifest has it with the edit in it, then the record and the manifest follow. What another
 * request changed meanwhile is read again and nothing of it is lost.
 * @throws EnvironmentProblem for what prevents it; ApiError 6076 for a workload that is being rolled out; ClusterError
 */
export async function changeWorkload(change: WorkloadChange): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await changeOnce(tries === 1 ? change : { ...change, found: undefined });
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (tries === maxTries)
        throw new EnvironmentBusy("the service is being changed by others at the same moment; try again");
    }
  }
}

const maxTries = 5;

async function changeOnce(change: WorkloadChange): Promise<void> {
  const { environment, service, wanted, yaml, stored } = await editWorkload(change);
  await requireNoRollout(environment, [change.workload], change.rollout);
  const { client, one, live, scope } = await checkWorkload(environment, service, wanted);
  const done = await applyOne(client, one, live, {
    ...{ recorded: {}, force: true, scope },
    takes: adoptableManagers(environment.adoptManagers),
  });
  const replace: ObjectEdit = (candidate) => (isNamed(candidate, change.workload) ? wanted.object : candidate);
  const [text, state] = [await storeText(editManifest(yaml, replace)), await readStoredText(stored.applied)];
  const applied: AppliedState = JSON.parse(state);
  const marks = { ...applied.marks, [one.key]: versionMark(done.object) };
  const { containers: runs = service.containers } = wanted.set;
  const use = { ...environment, service: service.name };
  const images = runs === service.containers ? [] : await imageWrites(use, service.containers, runs);
  await table().write(
    changeMustBeCurrent(environment),
    ...changeService(environment, service, wanted.set, {
      before: stored,
      text,
      applied: await storeText(JSON.stringify({ ...applied, marks })),
    }),
    ...images,
    ...((await wanted.beside?.(text)) ?? []),
  );
}

interface EditedWorkload extends Standing, Omit<ManifestObject, "object"> {
  wanted: WorkloadEdit;
}

/** The edit of the workload as it is now. @throws EnvironmentProblem when the service has no such workload */
export async function editWorkload({ found, read, workload, edit }: WorkloadChange): Promise<EditedWorkload> {
  const { environment, service } = found ?? (await read());
  const { object, ...manifest } = await findObject({ environment, service }, workload);
  return { environment, service, wanted: await edit({ environment, service, object }), ...manifest };
}

interface ManifestObject {
  object: KubeObject;
  /** The manifest that contains it, and the record of that manifest. */
  yaml: string;
  stored: Item<EnvironmentManifest>;
}

/** A workload as the last apply left it. @throws EnvironmentProblem when the service has none of this name */
export async function findObject({ environment, service }: Standing, workload: WorkloadName): Promise<ManifestObject> {
  const stored = await findManifest(environment.projectKey, environment.envKey, service.name);
  const yaml = stored === undefined ? "" : await readStoredText(stored.text);
  const object = parseManifest(yaml).find((candidate) => isNamed(candidate, workload));
  if (stored === undefined || object === undefined)
    throw new EnvironmentProblem(`${workload.kind} "${workload.name}" is not part of service ${service.name}`);
  return { object, yaml, stored };
}

function isNamed({ kind, metadata }: KubeObject, workload: WorkloadName): boolean {
  return kind === workload.kind && metadata.name === workload.name;
}

interface CheckedWorkload {
  client: ClusterClient;
  one: PreparedObject;
  /** Its metadata in the cluster. */
  live: LiveObject;
  scope: ReturnType<typeof applyScope>;
}

/** What will be sent, after all checks that may refuse it. @throws EnvironmentProblem, ClusterError */
export async function checkWorkload(
  environment: EnvironmentRecord,
  { name, release }: Pick<EnvironmentService, "name" | "release">,
  { object, scales }: WorkloadEdit,
): Promise<CheckedWorkload> {
  const { client } = await openCluster(environment.clusterId);
  const scope = { ...applyScope(environment, name), podsAsTheyAre: release?.adopted !== undefined };
  const facts = await readClusterFacts(client, [object], environment.namespace);
  const { objects, problems } = prepareObjects([object], scope, facts);
  const [one] = objects;
  if (one === undefined) throw new EnvironmentProblem(problems.map(({ message }) => message).join("; "));
  if (scales === true && one.autoscaled)
    throw new EnvironmentProblem(
      `a HorizontalPodAutoscaler decides the replicas of ${named(one)}; change its minReplicas and maxReplicas instead`,
    );
  const found = await readLive(client, [one.ref], environment.namespace);
  const live = found.get(one.key);
  if (live === undefined) throw new EnvironmentProblem(`${named(one)} does not exist in the cluster`);
  const [conflict] = await checkOwnership(objects, found, scope, ownersOn(environment.clusterId));
  if (conflict !== undefined) throw new EnvironmentProblem(conflict.message);
  return { client, one, live, scope };
}

function named({ ref }: PreparedObject): string {
  return `${ref.kind} "${ref.name}"`;
}
