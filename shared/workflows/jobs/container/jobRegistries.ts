import { unsealCredentials } from "../../../registries/credentials.ts";
import { registryLogin } from "../../../registries/registryLogin.ts";
import { findRegistry, listRegistries, type RegistryRecord } from "../../../registries/store/registries.ts";
import { hostOf } from "../../pods/rules/buildkitConfig.ts";
import type { JobRegistry } from "../../pods/rules/containerJob.ts";

/** Every registry of the installation, oldest first. */
export async function allRegistries(): Promise<RegistryRecord[]> {
  const { registries } = await listRegistries();
  const found = await Promise.all(registries.map(({ registryId }) => findRegistry(registryId)));
  return found.filter((registry) => registry !== undefined);
}

/**
 * How the registries are signed in to that the images come from, or are pushed to.
 * @throws RegistryLoginFailed
 */
export async function registriesOf(images: readonly string[]): Promise<JobRegistry[]> {
  const hosts = new Set(images.map((image) => image.split("/")[0]));
  const meant = (await allRegistries()).filter(({ address }) => hosts.has(hostOf(address)));
  return Promise.all(meant.map(jobRegistry));
}

async function jobRegistry(record: RegistryRecord): Promise<JobRegistry> {
  const [{ username, password }, { tlsCert }] = await Promise.all([registryLogin(record), unsealCredentials(record)]);
  const { address, enableTls } = record;
  return { address, username, password, tlsCertificate: tlsCert, tlsEnabled: enableTls };
}
