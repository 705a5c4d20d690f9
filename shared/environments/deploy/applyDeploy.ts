import { readStoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import type { Write } from "../../base/store/writes.ts";
import { adoptableManagers } from "../../kube/apply/adoptFields.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { objectKey } from "../../kube/objectKey.ts";
import { type AppliedPlan, applyPlan } from "../apply/applyPlan.ts";
import { writePullSecret } from "../apply/writePullSecret.ts";
import { EnvironmentProblem } from "../failures.ts";
import { nothingApplied, serviceOf } from "../plan/recordPlannedServices.ts";
import { standingObjects } from "../plan/standingObjects.ts";
import type { ServicePlan } from "../store/changes.ts";
import { placeNewService, recordDeployed, serviceMustBe } from "../store/deployedServices.ts";
import { type AppliedState, changeMustBeCurrent, findManifest } from "../store/environments.ts";
import { createDeploy, findDeploy, type JobDeploy } from "../store/jobDeploys.ts";
import { type PlanTask, recordDeploying } from "../store/plannedDeploys.ts";
import { awaitedKinds } from "../waits/workloadsToWaitFor.ts";
import { requireNoRollout } from "../workloads/requireNoRollout.ts";
import { type DeployPlan, type DeployRequest, planDeploy } from "./planDeploy.ts";

const maxTries = 5;

/** Of the job that deploys. */
interface DeployingJob {
  /** Set where a release plan started the job's task: the plan keeps what it changes. */
  planTask: PlanTask | undefined;
  /** Unix seconds: the end of its time. */
  deadline: number;
}

/**
 * Brings a service into the cluster for a job, by force (decisions 5.6), beside other jobs that deploy other services of
 * the same environment. What the service is in its environment stays as it was until `concludeDeploy`; a service that
 * is new there is placed at once, so that its objects have an owner. A chart is only planned here: `deployJobService`,
 * where Helm is, comes next. Repeating it under the same name does nothing.
 * @param name of the try of the job
 * @throws EnvironmentProblem, ApiError 404 and ClusterError: nothing was stored then
 */
export async function applyDeploy(name: string, request: DeployRequest, job: DeployingJob): Promise<JobDeploy> {
  for (let tries = 1; ; tries++) {
    const done = await findDeploy(name);
    if (done !== undefined) return done;
    try {
      return await applyOnce(name, await planDeploy(request), job);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (tries === maxTries)
        throw new EnvironmentProblem(
          `service ${request.service} is being changed by others at the same moment; try again`,
        );
    }
  }
}

async function applyOnce(
  name: string,
  { environment, current, rendered }: DeployPlan,
  { planTask, deadline }: DeployingJob,
): Promise<JobDeploy> {
  const { projectKey, envKey, environmentId, clusterId, namespace, production } = environment;
  const plan: ServicePlan = { ...rendered.plan, text: await storeText(rendered.text) };
  await requireNoRollout(environment, current?.workloads ?? []);
  const { client } = await openCluster(clusterId);
  await writePullSecret(client, environment);
  const manifest = await findManifest(projectKey, envKey, plan.name, { consistent: true });
  const before: AppliedState =
    manifest === undefined ? nothingApplied : JSON.parse(await readStoredText(manifest.applied));
  const standing = { isNew: current === undefined, deployedBy: manifest?.deployedBy };
  if (planTask !== undefined) await recordDeploying(planTask, environment, plan.name, standing, name);
  const begun = {
    ...{ environmentId, clusterId, namespace, envAlias: environment.alias, plan },
    // What another attempt of this try placed was not there before.
    originRevision: manifest?.deployedBy === name ? 0 : (current?.revision ?? 0),
  };
  if (plan.release !== undefined) {
    const serviceVersion = current?.version ?? 1;
    const ahead = { projectKey, envKey, production, environmentChange: environment.changeId, serviceVersion, deadline };
    const deploy: JobDeploy = { ...begun, manifestVersion: 0, awaited: [], error: "", ahead };
    const applied = await storeText(JSON.stringify(before));
    const service = serviceOf(plan, { ...standingObjects(before), error: "" });
    const writes =
      current === undefined || manifest === undefined
        ? placeNewService(environment, service, { text: plan.text, applied, isRelease: true, deployedBy: name })
        : [serviceMustBe(environment, current)];
    await table().write(changeMustBeCurrent(environment), createDeploy(name, deploy), ...writes);
    return deploy;
  }
  const outcome = await applyPlan({ ...environment, bounds: rendered.bounds }, plan, before, {
    force: true,
    takes: adoptableManagers(environment.adoptManagers),
  });
  const applied = await storeText(JSON.stringify(outcome.state));
  const writes: Write[] =
    current === undefined || manifest === undefined
      ? placeNewService(environment, serviceOf(plan, { ...standingObjects(outcome.state), error: outcome.error }), {
          text: plan.text,
          applied,
          deployedBy: name,
        })
      : [
          serviceMustBe(environment, current),
          recordDeployed(environment, plan.name, manifest, { applied, deployedBy: name }),
        ];
  const deploy: JobDeploy = {
    ...begun,
    manifestVersion: current === undefined || manifest === undefined ? 1 : manifest.version + 1,
    awaited: awaitedOf(plan.name, outcome),
    error: outcome.error,
  };
  await table().write(changeMustBeCurrent(environment), createDeploy(name, deploy), ...writes);
  return deploy;
}

/** The workloads whose readiness is waited for, as they were applied. */
function awaitedOf(service: string, { results, state }: AppliedPlan): JobDeploy["awaited"] {
  const expiring = new Set(state.refs.filter(({ expires }) => expires === true).map(objectKey));
  const applied = results.filter(({ action, ref }) => action !== "pruned" && awaitedKinds.has(ref.kind));
  return applied.map(({ ref, key, uid, generation }) => ({
    ...{ service, apiVersion: ref.apiVersion, kind: ref.kind, name: ref.name },
    ...(uid !== undefined && { uid }),
    ...(generation !== undefined && { generation }),
    ...(expiring.has(key) && { expires: true }),
  }));
}
