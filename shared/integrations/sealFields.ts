import { type SealedSecret, seal } from "../base/aws/secrets/sealedSecret.ts";
import type { IntegrationKind, SealedFields } from "./store/integrationStore.ts";

/**
 * Seals what was given of a record's secrets, each by itself, so that changing one unseals none to keep the others.
 */
export async function sealFields(
  kind: IntegrationKind,
  id: string,
  fields: Readonly<Record<string, string>>,
): Promise<SealedFields> {
  const given = Object.entries(fields).filter(([, text]) => text !== "");
  const sealed = given.map(async ([field, text]): Promise<[string, SealedSecret]> => {
    return [field, await seal(text, { record: `${kind}:${id}`, field })];
  });
  return Object.fromEntries(await Promise.all(sealed));
}
