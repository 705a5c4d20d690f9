import type * as z from "zod";
import { newId, nowSeconds } from "../../../shared/base/store/ids.ts";
import { sealCredentials } from "../../../shared/packaging/registries/credentials.ts";
import { createRegistry, type RegistryRecord } from "../../../shared/packaging/registries/store/registries.ts";
import { ecrFieldsOf } from "./ecrFields.ts";
import type { newRegistry } from "./schemas.ts";

type Wanted = z.output<typeof newRegistry>;

/** Adds a registry (contract D 4.3); its credentials are not tried. */
export async function addRegistry(wanted: Wanted, creator: string): Promise<void> {
  await createRegistry(await recordOf(wanted, creator), wanted.is_default);
}

/** The record that would be stored. */
export async function recordOf(wanted: Wanted, creator: string): Promise<RegistryRecord> {
  const { address, provider, namespace, region, access_key: accessKey, secret_key: secretKey } = wanted;
  const registryId = newId();
  const credentials = await sealCredentials(registryId, { accessKey, secretKey, tlsCert: wanted.tls_cert });
  const now = nowSeconds();
  return {
    registryId,
    address,
    provider,
    namespace,
    region,
    ...(credentials && { credentials }),
    ...ecrFieldsOf(wanted),
    hasKeys: accessKey !== "" || secretKey !== "",
    enableTls: wanted.enable_tls,
    createdBy: creator,
    updatedBy: creator,
    createdTime: now,
    updatedTime: now,
  };
}
