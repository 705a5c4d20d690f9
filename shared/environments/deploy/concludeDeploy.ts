import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { mustHaveVersion } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import type { Write } from "../../base/store/writes.ts";
import { relateService } from "../../manifest/variables/environmentVariables.ts";
import { EnvironmentProblem } from "../failures.ts";
import { serviceOf } from "../plan/recordPlannedServices.ts";
import { standingObjects } from "../plan/standingObjects.ts";
import { nextVersionWrites } from "../plan/storeVersion.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { notifyEnvironment } from "../store/changes.ts";
import { concludeDeployed, environmentMustStand } from "../store/deployedServices.ts";
import { changeEnvironment, findManifest, type WholeEnvironment } from "../store/environments.ts";
import type { VersionSummary } from "../store/environmentVersions.ts";
import { imageWrites } from "../store/imageUses.ts";
import { findDeploy, type JobDeploy, markConcluded } from "../store/jobDeploys.ts";

const maxTries = 20;

/** Who deployed: the starter of the task, and the task. */
export interface DeployedBy {
  by: string;
  task: Required<Pick<VersionSummary, "workflowKey" | "taskId">>;
}

/**
 * Makes a service what a job deployed: revision, images, variables, manifest and the list of its versions together
 * (contract W 5). Repeating it does nothing.
 * @throws EnvironmentProblem when the service was changed since: what exists is then not what was deployed
 */
export async function concludeDeploy(tryName: string, name: EnvironmentName, made: DeployedBy): Promise<void> {
  for (let tries = 1; ; tries++) {
    const deploy = await findDeploy(tryName);
    if (deploy === undefined || deploy.concluded) return;
    const whole = await requireEnvironment(name);
    const writes = await concluding(tryName, deploy, whole, made);
    const use = { ...whole.environment, service: deploy.plan.name };
    const ran = whole.services.find(({ name }) => name === deploy.plan.name)?.containers ?? [];
    const images = await imageWrites(use, ran, deploy.plan.containers);
    try {
      const event = notifyEnvironment(whole.environment, "done");
      return await table().write(markConcluded(tryName), ...writes, ...images, event);
    } catch (error) {
      // Deployments of other services may relate the same global variables at this moment.
      if (!(error instanceof ConditionFailed) || tries === maxTries) throw error;
    }
  }
}

async function concluding(
  tryName: string,
  { plan, environmentId, manifestVersion, releaseRevision, releaseText }: JobDeploy,
  { environment, services }: WholeEnvironment,
  made: DeployedBy,
): Promise<Write[]> {
  const service = services.find(({ name }) => name === plan.name);
  const manifest = await findManifest(environment.projectKey, environment.envKey, plan.name, { consistent: true });
  const isOurs = manifest?.deployedBy === tryName && manifest.version === manifestVersion;
  if (environment.environmentId !== environmentId || service === undefined || manifest === undefined || !isOurs)
    throw new EnvironmentProblem(`service ${plan.name} was changed by somebody else while it was being deployed`);
  const standing = standingObjects(JSON.parse(await readStoredText(manifest.applied)));
  const text = releaseText ?? plan.text;
  const { name: _name, ...set } = { ...serviceOf(plan, { ...standing, error: "" }), updatedAt: nowSeconds() };
  return [
    relating(environment, plan),
    ...concludeDeployed(environment, service, set, {
      text,
      deployedBy: tryName,
      version: manifestVersion,
    }),
    ...(await nextVersionWrites(environment, { name: plan.name, ...set }, text, {
      ...{ operation: "deploy", ...made },
      ...(plan.release && releaseRevision && { release: { ...plan.release, revision: releaseRevision } }),
    })),
  ];
}

/** The environment is written only where its global variables get or lose the service: others deploy beside. */
function relating(environment: WholeEnvironment["environment"], { name, variables }: JobDeploy["plan"]): Write {
  const globalVariables = relateService(environment.globalVariables, name, variables);
  const same = globalVariables.every((global, at) => global === environment.globalVariables[at]);
  if (same) return environmentMustStand(environment);
  return changeEnvironment(environment, { globalVariables }, mustHaveVersion(environment.version));
}
