import { storeText } from "../../base/aws/objects/objectStore.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { reasonOf } from "../failures.ts";
import { installRelease } from "../helm/installRelease.ts";
import { holdingRelease } from "../helm/releaseLease.ts";
import { boundsOf } from "../plan/boundsOf.ts";
import { standingObjects } from "../plan/standingObjects.ts";
import type { PlannedRelease, ServicePlan } from "../store/changes.ts";
import { recordDeployed } from "../store/deployedServices.ts";
import { changeMustBeCurrent, findManifest, findWholeEnvironment } from "../store/environments.ts";
import { findDeploy, type JobDeploy, type ReleaseAhead, removeDeploy, settleDeploy } from "../store/jobDeploys.ts";
import { awaitedKinds } from "../waits/workloadsToWaitFor.ts";
import { withCancellation } from "../withCancellation.ts";

/** Enough for a chart without hooks, however late it is. */
const leastSeconds = 30;

type Ahead = JobDeploy & { ahead: ReleaseAhead; plan: ServicePlan & { release: PlannedRelease } };

/**
 * Lets Helm bring in what a job planned to deploy, and notes the outcome; a failure is noted in words for users. A plan
 * that others overtook is taken back, for the job to make a new one. Repeating what is noted does nothing, and a
 * revision that exists for this try is not made again.
 * @param name of the try of the job
 * @param isCalledOff whether the deployment is no longer wanted: Helm is cut off then, and the release goes back
 */
export async function deployJobService(name: string, isCalledOff: () => Promise<boolean>): Promise<void> {
  const found = await findDeploy(name);
  if (!isAhead(found)) return;
  const { environmentId, plan } = found;
  try {
    await holdingRelease({ environmentId, service: plan.name }, async () => {
      const deploy = await findDeploy(name);
      if (isAhead(deploy)) await bring(name, deploy, isCalledOff);
    });
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    await tryWrite(table().write(settleDeploy(name, { awaited: [], error: reason })));
  }
}

function isAhead(deploy: JobDeploy | undefined): deploy is Ahead {
  return deploy?.ahead !== undefined && deploy.plan.release !== undefined;
}

async function bring(name: string, deploy: Ahead, isCalledOff: () => Promise<boolean>): Promise<void> {
  const { plan, environmentId, clusterId, namespace, ahead } = deploy;
  const { projectKey, envKey, production, environmentChange, serviceVersion, deadline } = ahead;
  const whole = await findWholeEnvironment(projectKey, envKey, { consistent: true });
  const environment = whole?.environment;
  const service = whole?.services.find((one) => one.name === plan.name);
  const manifest = await findManifest(projectKey, envKey, plan.name, { consistent: true });
  const isAsPlanned = environment?.changeId === environmentChange && service?.version === serviceVersion;
  if (environment === undefined || manifest === undefined || !isAsPlanned) {
    await tryWrite(table().write(removeDeploy(name)));
    return;
  }
  const bounds = await boundsOf(environment, {});
  const place = { projectKey, envKey, environmentId, clusterId, namespace, production, service: plan.name, bounds };
  const limits = { hookSeconds: Math.max(leastSeconds, deadline - nowSeconds()), asksAgain: false, changeId: name };
  const { outcome, revision, text, instead } = await withCancellation(isCalledOff, (signal) =>
    installRelease(place, plan, manifest, { ...limits, signal }),
  );
  const { workloads } = standingObjects(outcome.state);
  const awaited = workloads.filter(({ kind }) => awaitedKinds.has(kind)).map((one) => ({ service: plan.name, ...one }));
  const settled = {
    awaited: outcome.error === "" ? awaited : [],
    error: outcome.error,
    manifestVersion: manifest.version + 1,
    ...(revision !== undefined && { releaseRevision: revision }),
    ...(revision !== undefined && text !== undefined && { releaseText: text }),
  };
  // Where the release went back, what runs is another rendering of what ran before.
  const wentBack = instead === undefined ? undefined : text;
  const applied = await storeText(JSON.stringify(outcome.state));
  const noted = await tryWrite(
    table().write(
      changeMustBeCurrent(environment),
      settleDeploy(name, settled),
      recordDeployed(environment, plan.name, manifest, {
        ...{ applied, deployedBy: name },
        ...(wentBack !== undefined && { text: wentBack }),
      }),
    ),
  );
  if (noted) return;
  const error = `service ${plan.name} was changed by somebody else while it was being deployed`;
  await tryWrite(table().write(settleDeploy(name, { awaited: [], error })));
}
