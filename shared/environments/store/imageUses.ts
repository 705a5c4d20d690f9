import { artifactKeys } from "../../base/store/keys/artifactKeys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { overwrite, remove, type Write } from "../../base/store/writes.ts";
import type { ServiceContainer } from "../../manifest/containers.ts";
import { imageNames } from "../../manifest/imageParts.ts";
import type { EnvironmentRecord, EnvironmentService } from "./environments.ts";

/** A service that runs an image, or did a moment ago: a reader of it asks the service itself. */
export interface ImageUse {
  projectKey: string;
  envKey: string;
  environmentId: string;
  service: string;
}

type Containers = readonly Pick<ServiceContainer, "image">[];

const maxAtOnce = 100;
/** Of names that come, and of names that go, beside what else a transaction of a hundred writes has. */
const maxBeside = 40;

/**
 * For the transaction that says what a service runs now: notes its images, by all names that they are found by
 * (contract D 3.3), and removes what it ran before. Of very many names, the new ones for which the transaction has no
 * room are written at once, and the old ones stay: no reader shows an image that the service does not have.
 */
export async function imageWrites(use: ImageUse, before: Containers, after: Containers): Promise<Write[]> {
  const { projectKey, envKey, environmentId, service } = use;
  const item = { type: "image-use", projectKey, envKey, environmentId, service };
  const names = new Set(namesOf(after));
  const noted = [...names].map((name) => overwrite({ ...keyOf(name, use), ...item }));
  const gone = namesOf(before).filter((name) => !names.has(name));
  await inParts(noted.slice(maxBeside));
  return [...noted.slice(0, maxBeside), ...gone.slice(0, maxBeside).map((name) => remove(keyOf(name, use)))];
}

/** Takes away what a service ran. It is written after the service is gone. */
export async function removeImages(use: ImageUse, containers: Containers): Promise<void> {
  await inParts(namesOf(containers).map((name) => remove(keyOf(name, use))));
}

/** Takes away all that the services of an environment run; `items` are what is stored of it. */
export async function removeImagesOf(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  items: readonly Item<object>[],
): Promise<void> {
  const ofType = <T>(type: string) => items.filter((item) => item.type === type) as Item<T>[];
  const [environment] = ofType<EnvironmentRecord>("environment");
  if (environment === undefined) return;
  const { environmentId } = environment;
  for (const { name: service, containers } of ofType<EnvironmentService>("environment-service"))
    await removeImages({ projectKey, envKey, environmentId, service }, containers);
}

function keyOf(name: string, { environmentId, service }: ImageUse) {
  return artifactKeys.imageOfEnvironment(name, environmentId, service);
}

function namesOf(containers: Containers): string[] {
  return [...new Set(containers.flatMap(({ image }) => imageNames(image)))];
}

async function inParts(writes: readonly Write[]): Promise<void> {
  for (let at = 0; at < writes.length; at += maxAtOnce) await table().write(...writes.slice(at, at + maxAtOnce));
}
