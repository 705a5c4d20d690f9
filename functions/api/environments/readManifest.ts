import { loadText } from "../../../shared/aws/objects/objectStore.ts";
import { type EnvironmentName, environmentMissing } from "../../../shared/environments/requireEnvironment.ts";
import { findEnvironment, findManifest } from "../../../shared/environments/store/environments.ts";
import { notFound } from "../../../shared/errors/apiError.ts";

/** The manifest of a service as the platform applies it, variables and images filled in (contract P 5.2). */
export async function readManifest(name: EnvironmentName, service: string): Promise<string> {
  const [environment, manifest] = await Promise.all([
    findEnvironment(name.projectKey, name.envKey, { consistent: false }),
    findManifest(name.projectKey, name.envKey, service, { consistent: false }),
  ]);
  if (environment?.production !== name.production) throw environmentMissing(name);
  if (manifest === undefined) throw notFound(`service ${service} in environment ${name.envKey}`);
  return loadText(manifest.text);
}
