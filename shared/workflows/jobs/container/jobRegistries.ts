import { listEnvironments } from "../../../environments/store/environments.ts";
import { unsealCredentials } from "../../../packaging/registries/credentials.ts";
import { registryLogin } from "../../../packaging/registries/registryLogin.ts";
import { findRegistry, type RegistryRecord } from "../../../packaging/registries/store/registries.ts";
import { hostOf } from "../../pods/rules/buildkitConfig.ts";
import type { JobRegistry } from "../../pods/rules/containerJob.ts";

/**
 * The registries whose credentials a job may have (decisions 17.6): those of its project's environments, oldest first, and then
 * the one that it pushes to, which counts where two have the same host.
 * @param pushedTo id of a registry; absent: the job pushes nothing
 */
export async function registriesOfJob(projectKey: string, pushedTo?: string): Promise<RegistryRecord[]> {
  const ids = new Set((await listEnvironments(projectKey)).map(({ registryId }) => registryId));
  if (pushedTo !== undefined) ids.add(pushedTo);
  const found = (await Promise.all([...ids].map(findRegistry))).filter((registry) => registry !== undefined);
  const isPushedTo = ({ registryId }: RegistryRecord) => Number(registryId === pushedTo);
  return found.toSorted((a, b) => isPushedTo(a) - isPushedTo(b) || a.createdTime - b.createdTime);
}

/**
 * How those of the registries are signed in to that the images come from, or are pushed to.
 * @throws RegistryLoginFailed
 */
export async function loginsFor(
  images: readonly string[],
  registries: readonly RegistryRecord[],
): Promise<JobRegistry[]> {
  const hosts = new Set(images.map((image) => image.split("/")[0]));
  return Promise.all(registries.filter(({ address }) => hosts.has(hostOf(address))).map(jobRegistry));
}

async function jobRegistry(record: RegistryRecord): Promise<JobRegistry> {
  const [{ username, password }, { tlsCert }] = await Promise.all([registryLogin(record), unsealCredentials(record)]);
  const { address, enableTls } = record;
  return { address, username, password, tlsCertificate: tlsCert, tlsEnabled: enableTls };
}
