import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import type { EnvironmentManifest, EnvironmentRecord, EnvironmentService } from "./environments.ts";

/** What we applied of every service of an environment. */
export interface AppliedEnvironment {
  environment: EnvironmentRecord;
  /** Service name → what was applied; services on their way out, and drafts, are left out. */
  manifests: ReadonlyMap<string, EnvironmentManifest>;
  /** Services whose release is as it was found. */
  adopted: ReadonlySet<string>;
}

type Stored = EnvironmentRecord & EnvironmentManifest & EnvironmentService;

/** An environment with manifests of its services by service name, a hundred in one round trip. */
export async function findWithManifests(
  projectKey: string,
  envKey: string,
  services: readonly string[],
): Promise<{
  environment: Item<EnvironmentRecord> | undefined;
  manifests: ReadonlyMap<string, Item<EnvironmentManifest>>;
}> {
  const names = new Map(services.map((service) => [keys.environmentManifest(projectKey, envKey, service).sk, service]));
  const { pk, sk } = keys.environment(projectKey, envKey);
  const wanted = [sk, ...names.keys()].map((key) => ({ pk, sk: key }));
  const items = await table().getMany<EnvironmentRecord & EnvironmentManifest>(wanted);
  const manifests = items.filter(({ type }) => type === "environment-manifest");
  return {
    environment: items.find(({ type }) => type === "environment"),
    manifests: new Map(manifests.map((item) => [names.get(item.sk) ?? "", item])),
  };
}

/** Manifests of some services by service name, a hundred in one round trip; of one without a manifest nothing. */
export async function findManifests(
  projectKey: string,
  envKey: string,
  services: readonly string[],
): Promise<ReadonlyMap<string, Item<EnvironmentManifest>>> {
  const names = new Map(services.map((service) => [keys.environmentManifest(projectKey, envKey, service).sk, service]));
  const { pk } = keys.environment(projectKey, envKey);
  const items = await table().getMany<EnvironmentManifest>([...names.keys()].map((sk) => ({ pk, sk })));
  return new Map(items.map((item) => [names.get(item.sk) ?? "", item]));
}

/** One eventually consistent query reads the environment, its services and their manifests: they are side by side. */
export async function findAppliedEnvironment(
  projectKey: string,
  envKey: string,
): Promise<AppliedEnvironment | undefined> {
  const { pk, sk } = keys.environment(projectKey, envKey);
  const manifestPrefix = keys.environmentManifest(projectKey, envKey, "").sk;
  const items = await table().query<Stored>({ pk, between: [sk, `${manifestPrefix}\uffff`], consistent: false });
  const environment = items.find(({ type }) => type === "environment");
  if (environment === undefined) return undefined;
  const services = items.filter(
    ({ type, removing, release }) => type === "environment-service" && removing !== true && release?.draft !== true,
  );
  const standing = new Set(services.map(({ name }) => name));
  const manifests = items
    .filter(({ type }) => type === "environment-manifest")
    .map((item) => [item.sk.slice(manifestPrefix.length), item] as const);
  const adopted = services.filter(({ release }) => release?.adopted !== undefined).map(({ name }) => name);
  return {
    environment,
    manifests: new Map(manifests.filter(([service]) => standing.has(service))),
    adopted: new Set(adopted),
  };
}
