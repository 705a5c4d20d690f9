import { nowSeconds } from "../../base/store/ids.ts";
import { sealCredentials, unsealCredentials } from "./credentials.ts";
import {
  changeRegistry,
  createRegistry,
  findRegistry,
  localRegistryId,
  type RegistryRecord,
} from "./store/registries.ts";

/** Where the registry of this start is, and its login. */
interface LocalRegistry {
  address: string;
  username: string;
  password: string;
}

/**
 * Makes the registry of one machine known under its fixed id, or follows its address and login, which pull secrets then
 * get; it is the default unless another one is (decisions 5.3). Belongs to the local start alone.
 */
export async function seedLocalRegistry({ address, username, password }: LocalRegistry): Promise<void> {
  const known = await findRegistry(localRegistryId);
  if (known !== undefined && (await isCurrent(known, { address, username, password }))) return;
  const login = { accessKey: username, secretKey: password, tlsCert: "" };
  const credentials = await sealCredentials(localRegistryId, login);
  const current = { address, hasKeys: true, ...(credentials && { credentials }) };
  if (known === undefined) return createRegistry({ ...localRegistry(), ...current }, false);
  const { pk, sk, version, ...content } = known;
  const changed = { ...content, ...current, updatedBy: "system", updatedTime: nowSeconds() };
  await changeRegistry(known, changed, { wantsDefault: false, refresh: true });
}

async function isCurrent(known: RegistryRecord, { address, username, password }: LocalRegistry): Promise<boolean> {
  if (known.address !== address) return false;
  const { accessKey, secretKey } = await unsealCredentials(known);
  return accessKey === username && secretKey === password;
}

function localRegistry(): Omit<RegistryRecord, "address" | "hasKeys"> {
  const now = nowSeconds();
  return {
    registryId: localRegistryId,
    provider: "native",
    region: "",
    namespace: "slipway",
    enableTls: false,
    createdBy: "system",
    updatedBy: "system",
    createdTime: now,
    updatedTime: now,
  };
}
