import { type SealedSecret, type SecretOwner, seal, unseal } from "../../base/aws/secrets/sealedSecret.ts";
import type { RegistryRecord } from "./store/registries.ts";

/** What of a registry never leaves (contract D 4.1). Empty texts where nothing was given. */
export interface RegistryCredentials {
  accessKey: string;
  secretKey: string;
  /** PEM certificates that are trusted for the registry's address. */
  tlsCert: string;
}

export const noCredentials: RegistryCredentials = { accessKey: "", secretKey: "", tlsCert: "" };

/** @returns undefined when there is nothing to seal */
export async function sealCredentials(
  registryId: string,
  credentials: RegistryCredentials,
): Promise<SealedSecret | undefined> {
  const { accessKey, secretKey, tlsCert } = credentials;
  if (accessKey === "" && secretKey === "" && tlsCert === "") return undefined;
  return seal(JSON.stringify({ accessKey, secretKey, tlsCert }), ownerOf(registryId));
}

export async function unsealCredentials(record: RegistryRecord): Promise<RegistryCredentials> {
  if (record.credentials === undefined) return noCredentials;
  return JSON.parse(await unseal(record.credentials, ownerOf(record.registryId))) as RegistryCredentials;
}

function ownerOf(registryId: string): SecretOwner {
  return { record: `registry:${registryId}`, field: "credentials" };
}
