import { readStoredText, type StoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { type SecretOwner, seal, unseal } from "../../base/aws/secrets/sealedSecret.ts";
import type { ConfigType } from "../rules/configObject.ts";

/** Whose text it is; the environment's id binds what is sealed to it. */
export interface ConfigTextOwner {
  environmentId: string;
  configType: ConfigType;
  name: string;
}

/** Stores the YAML of a configuration for its history; that of a Secret is sealed. */
export async function storeConfigText(owner: ConfigTextOwner, yaml: string): Promise<StoredText> {
  if (owner.configType !== "Secret" || yaml === "") return storeText(yaml);
  return storeText(JSON.stringify(await seal(yaml, secretOwner(owner))));
}

export async function readConfigText(owner: ConfigTextOwner, stored: StoredText): Promise<string> {
  const text = await readStoredText(stored);
  return owner.configType === "Secret" && text !== "" ? unseal(JSON.parse(text), secretOwner(owner)) : text;
}

function secretOwner({ environmentId, configType, name }: ConfigTextOwner): SecretOwner {
  return { record: `environment:${environmentId}`, field: `config:${configType}:${name}` };
}
