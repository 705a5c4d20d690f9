import { createHmac } from "node:crypto";
import { ecrSettings } from "../../base/aws/ecr/ecrClient.ts";

/** What is known of an image registry (contract D 4.1). */
export interface RegistryCredentials {
  id: string;
  address: string;
  provider: string;
  region?: string | undefined;
  accessKey: string;
  secretKey: string;
  /** Of ecr: a role that is taken on first, and what it wants to hear; empty: none. */
  roleArn?: string;
  externalId?: string;
}

export interface RegistryLogin {
  username: string;
  password: string;
}

/** Asks AWS for a login: with the registry's keys, or with our own role when it has none. */
export type EcrLogin = (registry: RegistryCredentials) => Promise<RegistryLogin>;

/** Short, because pull secrets are renewed by the time that they were written at (`renewals.ts`), not by their token's. */
const ecrCacheMs = 2 * 3_600_000;
const ecrLogins = new Map<string, { login: Promise<RegistryLogin>; until: number }>();

/**
 * The login of a registry by provider (contract D 4.6): ecr exchanges its keys for a token, which is kept for 2 hours
 * of the 12 that it lives; swr signs its key; the others take key and secret as they are.
 * @returns undefined for an open registry, which has no keys
 * @throws what AWS answers when it refuses the keys
 */
export async function registryLogin(
  registry: RegistryCredentials,
  ecr: EcrLogin = askEcr,
  now: () => number = Date.now,
): Promise<RegistryLogin | undefined> {
  const { provider, accessKey, secretKey, region = "" } = registry;
  if (provider === "ecr") return cachedEcrLogin(registry, ecr, now);
  if (accessKey === "" && secretKey === "") return undefined;
  if (provider !== "swr") return { username: accessKey, password: secretKey };
  const password = createHmac("sha256", secretKey).update(accessKey).digest("hex");
  return { username: `${region}@${accessKey}`, password };
}

/** Those who ask at the same moment share one answer; a refusal is not kept. */
function cachedEcrLogin(registry: RegistryCredentials, ecr: EcrLogin, now: () => number): Promise<RegistryLogin> {
  // Changed keys ask again.
  const keys = createHmac("sha256", registry.secretKey)
    .update(`${registry.accessKey} ${registry.region} ${registry.roleArn} ${registry.externalId}`)
    .digest("hex");
  const key = `${registry.id} ${keys}`;
  const cached = ecrLogins.get(key);
  if (cached !== undefined && cached.until > now()) return cached.login;
  for (const [other, { until }] of ecrLogins) if (until <= now()) ecrLogins.delete(other);
  const login = ecr(registry);
  ecrLogins.set(key, { login, until: now() + ecrCacheMs });
  login.catch(() => ecrLogins.delete(key));
  return login;
}

async function askEcr(registry: RegistryCredentials): Promise<RegistryLogin> {
  const { region = "", roleArn = "", externalId = "" } = registry;
  const { ECRClient, GetAuthorizationTokenCommand } = await import("./ecrSdk.ts");
  const client = new ECRClient(ecrSettings({ ...registry, region, roleArn, externalId }));
  const answer = await client.send(new GetAuthorizationTokenCommand({}));
  const text = Buffer.from(answer.authorizationData?.[0]?.authorizationToken ?? "", "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 1) throw new Error("ECR's answer has no login");
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
