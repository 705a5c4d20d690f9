import { loadText } from "../clients/objects/objectStore.ts";
import type { ObjectPreview } from "../deploy/preview/objectPreview.ts";
import { updateRefusal } from "../domain/environment/status.ts";
import { notFound } from "../domain/errors/apiError.ts";
import { parseManifest } from "../domain/manifest/parseManifest.ts";
import type { WholeEnvironment } from "../store/environments.ts";
import { nextVersion } from "../store/environmentVersions.ts";
import { beginServicesChange } from "./changeServices.ts";
import type { Actor } from "./createEnvironment.ts";
import { EnvironmentProblem, failingWith } from "./failures.ts";
import type { RenderedPlan } from "./planServices.ts";
import { previewPlans } from "./preview/previewPlans.ts";
import { type EnvironmentName, requireEnvironment } from "./requireEnvironment.ts";
import { ownerOf, requireVersion } from "./serviceVersions.ts";

/**
 * Takes a service of an environment back to an earlier version: image, variables and manifest together, as they were
 * (contract P 16.5, decisions 6.7). It runs as every update does and makes a version of its own.
 * @throws ApiError 404 unknown environment, service or version; 6079 wrong state, conflict
 */
export async function rollbackService(
  name: EnvironmentName,
  service: string,
  revision: number,
  actor: Actor,
): Promise<void> {
  await rollingBack(name, service, revision, (whole, plan) => beginServicesChange("update", whole, [plan], actor));
}

/** What taking it back would apply. @throws ApiError as `rollbackService` */
export function previewRollback(name: EnvironmentName, service: string, revision: number): Promise<ObjectPreview[]> {
  return rollingBack(name, service, revision, ({ environment }, plan) =>
    previewPlans(environment, [plan], { force: true }),
  );
}

async function rollingBack<T>(
  name: EnvironmentName,
  service: string,
  revision: number,
  work: (whole: WholeEnvironment, plan: RenderedPlan) => Promise<T>,
): Promise<T> {
  const whole = await requireEnvironment(name);
  const current = whole.services.find((candidate) => candidate.name === service);
  if (current === undefined) throw notFound(`service ${service} in environment ${name.envKey}`);
  const { text: stored, serviceRevision, ...kept } = await requireVersion(name, service, revision);
  return failingWith(6079, async () => {
    const refused = updateRefusal(whole.environment);
    if (refused !== undefined) throw new EnvironmentProblem(refused);
    const from = (await nextVersion(ownerOf(name, service))) - 1;
    const { variables, containers, changedImages, replicas } = kept;
    const text = await loadText(stored);
    const plan = {
      name: service,
      group: current.group,
      revision: serviceRevision,
      variables,
      containers,
      changedImages,
      replicas,
      rollback: { from, to: revision },
    };
    return work(whole, { plan, text, objects: parseManifest(text) });
  });
}
