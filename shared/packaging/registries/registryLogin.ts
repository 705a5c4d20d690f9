import { registryLogin as loginByProvider } from "../../kube/apply/registryLogin.ts";
import { unsealCredentials } from "./credentials.ts";
import { imagePrefix } from "./imagePrefix.ts";
import type { RegistryRecord } from "./store/registries.ts";
import { swrRegion } from "./swrRegion.ts";

export interface RegistryLogin {
  /** The registry's address with its scheme and without a slash at the end: the key of a pull secret. */
  server: string;
  /** Both empty for a registry that asks for no login. */
  username: string;
  password: string;
  /** What image names begin with: host and namespace. */
  prefix: string;
}

/** A registry's login cannot be made; the message is for users. */
export class RegistryLoginFailed extends Error {
  override readonly name = "RegistryLoginFailed";
}

/**
 * How images of a registry are pulled and pushed (contract D 4.6).
 * @throws RegistryLoginFailed when AWS gives no login for ECR
 */
export async function registryLogin(record: RegistryRecord): Promise<RegistryLogin> {
  const { registryId: id, address, provider } = record;
  const { accessKey, secretKey } = await unsealCredentials(record);
  const region = provider === "swr" ? swrRegion(record) : record.region;
  const { roleArn = "", externalId = "" } = record;
  const wanted = { id, address, provider, region, accessKey, secretKey, roleArn, externalId };
  const login = await explained(record, () => loginByProvider(wanted));
  const { username, password } = login ?? { username: "", password: "" };
  return { server: address.replace(/\/+$/, ""), username, password, prefix: imagePrefix(record) };
}

async function explained<T>({ provider, region, hasKeys, roleArn }: RegistryRecord, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (provider !== "ecr") throw error;
    const reason = error instanceof Error ? error.name : "unknown error";
    const keys = hasKeys ? "the registry's access_key and secret_key" : "the platform's own role";
    const whose = roleArn === undefined ? keys : `external_id, and that ${roleArn} trusts ${keys}`;
    throw new RegistryLoginFailed(`ECR in ${region} gives no login (${reason}); check region and ${whose}`, {
      cause: error,
    });
  }
}
