import { EnvironmentProblem } from "../../../environments/failures.ts";
import {
  type EnvironmentReference,
  findEnvironment,
  findEnvironmentService,
} from "../../../environments/store/environments.ts";
import { updateImage } from "../../../environments/updateImage.ts";
import { writePullSecret } from "../../../environments/writePullSecret.ts";
import type { ClusterClient, LiveObject, ObjectRef } from "../../../kube/client/ClusterClient.ts";
import { refOf } from "../../../kube/client/objectRef.ts";
import { type OwnNamespace, ownNamespace } from "../ownNamespace.ts";
import { awaitWorkloads, readinessOf, type WaitPlace } from "../readiness.ts";
import { type JobRun, type JobRunner, passed } from "../runner.ts";
import { asEnd, waitEnd } from "../waitEnd.ts";
import type { CustomDeployRun } from "./planner.ts";
import { containersIn, imagePatch, readTarget, serviceOf } from "./target.ts";

/**
 * Sets the image of one container in a namespace of the project's environments and waits until the workload is ready
 * (contract W 5, decisions 5.7). A workload that a service of an environment applied changes as that service's image
 * does, so that the environment's record follows; any other is patched.
 */
export const customDeployRunner: JobRunner = {
  begin: async (run) => {
    const target = settingsOf(run);
    const { place, client, ref, before, owner } = await readTarget(run.task.owner.projectKey, target);
    await refreshLogin(client, owner ?? place.environments[0]);
    if (owner === undefined) await client.patch(ref, imagePatch(before, target));
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

async function refreshLogin(client: ClusterClient, environment: EnvironmentReference | undefined): Promise<void> {
  const record = environment && (await findEnvironment(environment.projectKey, environment.envKey));
  if (record !== undefined) await writePullSecret(client, record);
}

/** Done before by a try that crashed, it makes no second version. */
async function changeImage(run: JobRun, owner: EnvironmentReference, before: LiveObject): Promise<void> {
  const { kind, name, container, image } = settingsOf(run);
  const { projectKey, envKey } = owner;
  const service = serviceOf(before);
  const environment = await findEnvironment(projectKey, envKey, { consistent: true });
  const stored = await findEnvironmentService(projectKey, envKey, service);
  if (stored?.release !== undefined)
    throw new EnvironmentProblem(
      `service ${service} is a chart, which jobs cannot deploy yet; use POST /openapi/environments/image/${kind.toLowerCase()}/${envKey}`,
    );
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
