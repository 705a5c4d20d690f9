import { nowSeconds } from "../store/ids.ts";
import {
  changeRegistry,
  createRegistry,
  findRegistry,
  localRegistryId,
  type RegistryRecord,
} from "./store/registries.ts";

/**
 * Makes the registry of one machine known under its fixed id, or follows its address; it is the default unless another
 * one is (decisions 5.3). Belongs to the local start alone.
 */
export async function seedLocalRegistry({ address }: { address: string }): Promise<void> {
  const known = await findRegistry(localRegistryId);
  if (known === undefined) return createRegistry(localRegistry(address), false);
  if (known.address === address) return;
  const { pk, sk, version, ...content } = known;
  const changed = { ...content, address, updatedBy: "system", updatedTime: nowSeconds() };
  await changeRegistry(known, changed, { wantsDefault: false, refresh: true });
}

function localRegistry(address: string): RegistryRecord {
  const now = nowSeconds();
  return {
    registryId: localRegistryId,
    address,
    provider: "native",
    region: "",
    namespace: "slipway",
    hasKeys: false,
    enableTls: false,
    createdBy: "system",
    updatedBy: "system",
    createdTime: now,
    updatedTime: now,
  };
}
