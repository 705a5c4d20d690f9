import type { EnvironmentManifest, EnvironmentRecord } from "./environments.ts";
import { keys } from "./keys.ts";
import { table } from "./theTable.ts";

/** What we applied of every service of an environment. */
export interface AppliedEnvironment {
  environment: EnvironmentRecord;
  /** Service name → what was applied; services on their way out are left out. */
  manifests: ReadonlyMap<string, EnvironmentManifest>;
}

type Stored = EnvironmentRecord & EnvironmentManifest & { name: string; removing?: true };

/** The environment, its services and their manifests stand side by side, so that one eventually consistent query reads them. */
export async function findAppliedEnvironment(
  projectKey: string,
  envKey: string,
): Promise<AppliedEnvironment | undefined> {
  const { pk, sk } = keys.environment(projectKey, envKey);
  const manifestPrefix = keys.environmentManifest(projectKey, envKey, "").sk;
  const items = await table().query<Stored>({ pk, between: [sk, `${manifestPrefix}\uffff`], consistent: false });
  const environment = items.find(({ type }) => type === "environment");
  if (environment === undefined) return undefined;
  const services = items.filter(({ type, removing }) => type === "environment-service" && removing !== true);
  const standing = new Set(services.map(({ name }) => name));
  const manifests = items
    .filter(({ type }) => type === "environment-manifest")
    .map((item) => [item.sk.slice(manifestPrefix.length), item] as const);
  return { environment, manifests: new Map(manifests.filter(([service]) => standing.has(service))) };
}
