import { unseal } from "../../base/aws/secrets/sealedSecret.ts";
import { mapBounded } from "../../base/common/mapBounded.ts";
import type { SealedFields } from "./store/definitionStore.ts";

const atOnce = 8;

/**
 * Values of credentials by key, of one list of variables; for jobs alone.
 * @param record what they are bound to @param scope of the list, see `SentKeyVals`
 */
export async function unsealCredentials(
  record: string,
  sealed: SealedFields,
  scope = "",
): Promise<Map<string, string>> {
  const prefix = `${scope}#`;
  const ofScope = Object.entries(sealed).filter(([field]) => field.startsWith(prefix));
  const values = new Map<string, string>();
  await mapBounded(ofScope, atOnce, async ([field, secret]) => {
    values.set(field.slice(prefix.length), await unseal(secret, { record, field }));
  });
  return values;
}
