import { openCluster } from "../../../clusters/openCluster.ts";
import {
  type EnvironmentReference,
  findEnvironment,
  findEnvironmentService,
} from "../../../environments/store/environments.ts";
import { updateImage } from "../../../environments/updateImage.ts";
import { writePullSecret } from "../../../environments/writePullSecret.ts";
import type { ClusterClient, LiveObject, ObjectRef } from "../../../kube/client/ClusterClient.ts";
import { refOf } from "../../../kube/client/objectRef.ts";
import { serviceLabel } from "../../../kube/marks.ts";
import { at, podSpecPath } from "../../../manifest/workloads.ts";
import { ownerOf } from "../ownerOf.ts";
import { type OwnNamespace, ownNamespace } from "../ownNamespace.ts";
import { awaitWorkloads, readinessOf, type WaitPlace } from "../readiness.ts";
import { failed, type JobRun, type JobRunner, passed } from "../runner.ts";
import { asEnd, waitEnd } from "../waitEnd.ts";
import type { CustomDeployRun } from "./planner.ts";

const versions: Readonly<Record<string, string>> = {
  Deployment: "apps/v1",
  StatefulSet: "apps/v1",
  CronJob: "batch/v1",
};

/**
 * Sets the image of one container in a namespace of the project's environments and waits until the workload is ready
 * (contract W 5, decisions 5.7). A workload that a service of an environment applied changes as that service's image
 * does, so that the environment's record follows; any other is patched.
 */
export const customDeployRunner: JobRunner = {
  begin: async (run) => {
    const target = settingsOf(run);
    const apiVersion = versions[target.kind];
    if (apiVersion === undefined)
      return failed(
        `${target.kind} cannot be deployed so; the target must be a Deployment, a StatefulSet or a CronJob`,
      );
    if (target.image === "") return failed(`no image is named for ${target.kind}/${target.name}/${target.container}`);
    const place = await placeOf(run);
    const { client } = await openCluster(place.clusterId);
    const ref = { apiVersion, kind: target.kind, name: target.name, namespace: place.namespace };
    const before = await client.get(ref);
    const owner = await ownerOf(before, place);
    const problem = containerProblem(before, target.container);
    if (problem !== undefined) return failed(problem);
    await refreshLogin(client, owner ?? place.environments[0]);
    if (owner === undefined) await patchImage(client, ref, before, target);
    else await changeImage(run, owner, before);
    if (target.skipsCheck || target.kind === "CronJob") return passed();
    const ready = await readinessOf(run);
    if (ready !== undefined) return asEnd(ready);
    await awaitWorkloads(run, waitPlace(place), [await awaited(client, ref, owner === undefined)]);
    return { waits: true };
  },
  finish: (run, why) => waitEnd(run, why, async () => waitPlace(await placeOf(run))),
};

function settingsOf({ run }: JobRun): CustomDeployRun {
  return run as unknown as CustomDeployRun;
}

function placeOf(run: JobRun): Promise<OwnNamespace> {
  const { clusterId, namespace } = settingsOf(run);
  return ownNamespace(run.task.owner.projectKey, clusterId, namespace);
}

function waitPlace({ clusterId, namespace, environments }: OwnNamespace): WaitPlace {
  return { clusterId, namespace, environmentId: environments[0]?.environmentId ?? "" };
}

function containersIn(live: LiveObject): { name: unknown; image: unknown }[] {
  const list = at(live, [...(podSpecPath(live.kind) ?? []), "containers"]);
  return Array.isArray(list) ? list.map((one) => ({ name: at(one, ["name"]), image: at(one, ["image"]) })) : [];
}

function containerProblem(live: LiveObject, container: string): string | undefined {
  const names = containersIn(live).map(({ name }) => String(name));
  if (names.includes(container)) return undefined;
  return `container "${container}" is not part of ${live.kind} "${live.metadata.name}"; its containers are: ${names.join(", ")}`;
}

async function refreshLogin(client: ClusterClient, environment: EnvironmentReference | undefined): Promise<void> {
  const record = environment && (await findEnvironment(environment.projectKey, environment.envKey));
  if (record !== undefined) await writePullSecret(client, record);
}

async function patchImage(client: ClusterClient, ref: ObjectRef, before: LiveObject, target: CustomDeployRun) {
  const pod = { containers: [{ name: target.container, image: target.image }] };
  const path = podSpecPath(before.kind) ?? [];
  const body = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), pod);
  await client.patch(ref, { type: "strategic", body });
}

/** Done before by a try that crashed, it makes no second version. */
async function changeImage(run: JobRun, owner: EnvironmentReference, before: LiveObject): Promise<void> {
  const { kind, name, container, image } = settingsOf(run);
  const { projectKey, envKey } = owner;
  const service = before.metadata.labels?.[serviceLabel] ?? "";
  const environment = await findEnvironment(projectKey, envKey, { consistent: true });
  const stored = await findEnvironmentService(projectKey, envKey, service);
  const isStored = stored?.containers.some((one) => one.name === container && one.image === image) === true;
  const isLive = containersIn(before).some((one) => one.name === container && one.image === image);
  if (isStored && isLive) return;
  const where = { projectKey, envKey, production: environment?.production === true };
  await updateImage(where, { service, workload: { kind, name }, container, image }, run.task.creator);
}

async function awaited(client: ClusterClient, ref: ObjectRef, foreign: boolean) {
  const { metadata, ...live } = await client.get(ref);
  const { apiVersion, kind, name } = refOf({ ...live, metadata });
  const { uid, generation } = metadata;
  return { service: "", apiVersion, kind, name, uid, generation, ...(foreign && { foreign }) };
}
