import { loadText } from "../clients/objects/objectStore.ts";
import { updateRefusal } from "../domain/environment/status.ts";
import { notFound } from "../domain/errors/apiError.ts";
import { parseManifest } from "../domain/manifest/parseManifest.ts";
import { nextVersion } from "../store/environmentVersions.ts";
import { beginServicesChange } from "./changeServices.ts";
import type { Actor } from "./createEnvironment.ts";
import { EnvironmentProblem, failingWith } from "./failures.ts";
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
  const whole = await requireEnvironment(name);
  const current = whole.services.find((candidate) => candidate.name === service);
  if (current === undefined) throw notFound(`service ${service} in environment ${name.envKey}`);
  const { text: stored, serviceRevision, ...kept } = await requireVersion(name, service, revision);
  await failingWith(6079, async () => {
    const refused = updateRefusal(whole.environment.status);
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
    await beginServicesChange("update", whole, [{ plan, text, objects: parseManifest(text) }], actor);
  });
}
