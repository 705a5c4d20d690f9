import { writePullSecret } from "../../../environments/apply/writePullSecret.ts";
import { updateImage } from "../../../environments/change/updateImage.ts";
import type { DeployRequest } from "../../../environments/deploy/planDeploy.ts";
import { EnvironmentProblem } from "../../../environments/failures.ts";
import {
  type EnvironmentReference,
  findEnvironment,
  findEnvironmentService,
} from "../../../environments/store/environments.ts";
import { findDeploy } from "../../../environments/store/jobDeploys.ts";
import type { ClusterClient, LiveObject, ObjectRef } from "../../../kube/client/ClusterClient.ts";
import { refOf } from "../../../kube/client/objectRef.ts";
import { imageName } from "../../../manifest/containers.ts";
import { tryName } from "../../records/rules/tryName.ts";
import { type Deploying, finishDeploying, startDeploying } from "../deploying.ts";
import { type OwnNamespace, ownNamespace } from "../ownNamespace.ts";
import { awaitWorkloads, readinessOf, type WaitPlace } from "../readiness.ts";
import { type JobRun, type JobRunner, passed } from "../runner.ts";
import { asEnd, waitEnd } from "../waitEnd.ts";
import type { CustomDeployRun } from "./planner.ts";
import { containersIn, imagePatch, readTarget, serviceOf } from "./target.ts";

/**
 * Sets the image of one container in a namespace of the project's environments and waits until the workload is ready
 * (contract W 5, decisions 5.7). A workload that a service of an environment applied changes as that service's image
 * does, so that the environment's record follows: a chart's by an upgrade of its release. Any other is patched.
 */
export const runner: JobRunner = {
  begin: async (run) => {
    const target = settingsOf(run);
    const { place, client, ref, before, owner } = await readTarget(run.task.owner.projectKey, target);
    await refreshLogin(client, owner ?? place.environments[0]);
    const release = owner && (await releaseOf(run, owner, before));
    if (release !== undefined) return startDeploying(run, release);
    if (owner === undefined) await client.patch(ref, imagePatch(before, target));
    else await changeImage(run, owner, before);
    if (target.skipsCheck || target.kind === "CronJob") return passed();
    const ready = await readinessOf(run);
    if (ready !== undefined) return asEnd(ready);
    return awaitWorkloads(run, waitPlace(place), [await awaited(client, ref, owner === undefined)]);
  },
  finish: async (run, why) => {
    const deploy = await findDeploy(tryName(run.job));
    if (deploy === undefined) return waitEnd(run, why, async () => waitPlace(await placeOf(run)));
    const { environments } = await placeOf(run);
    const owner = environments.find(({ environmentId }) => environmentId === deploy.environmentId);
    if (owner === undefined) throw new EnvironmentProblem("the environment was deleted while it was being deployed to");
    return finishDeploying(run, why, await deployingOf(run, owner, deploy.plan.name, []));
  },
};

/**
 * The release that brought the workload, with the value of its image changed; undefined where no chart did. The value is
 * found by the base name of the image that runs (decisions 11.10).
 * @throws EnvironmentProblem where no value names the image
 */
async function releaseOf(run: JobRun, owner: EnvironmentReference, before: LiveObject): Promise<Deploying | undefined> {
  const service = serviceOf(before);
  const stored = await findEnvironmentService(owner.projectKey, owner.envKey, service);
  if (stored?.release === undefined) return undefined;
  // Helm has been there: what runs now may be called otherwise.
  if ((await findDeploy(tryName(run.job))) !== undefined) return deployingOf(run, owner, service, []);
  const { container, image } = settingsOf(run);
  const now = String(containersIn(before).find((one) => one.name === container)?.image ?? "");
  const module = stored.containers.find(({ name }) => name === imageName(now));
  if (module === undefined)
    throw new EnvironmentProblem(
      `no value of the chart names the image of container "${container}"; set it in the values of service ${service}`,
    );
  return deployingOf(run, owner, service, [{ name: module.name, image }]);
}

async function deployingOf(
  run: JobRun,
  { projectKey, envKey }: EnvironmentReference,
  service: string,
  images: DeployRequest["images"],
): Promise<Deploying> {
  const { skipsCheck, kind } = settingsOf(run);
  const environment = await findEnvironment(projectKey, envKey, { consistent: true });
  return {
    request: {
      ...{ projectKey, envKey, production: environment?.production === true, service },
      ...{ contents: ["image"], images, variables: [], updatesConfig: false },
    },
    skipsCheck: () => skipsCheck || kind === "CronJob",
  };
}

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
