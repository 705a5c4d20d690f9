import { type SealedSecret, seal } from "../../base/aws/secrets/sealedSecret.ts";
import { mapBounded } from "../../base/common/mapBounded.ts";
import { badRequest, type Problem } from "../../base/errors/apiError.ts";
import { type KeyVal, maskedValue } from "../definition/script/keyVal.ts";

/** Variables as they were sent, and where: every credential has a field of its own. */
export interface SentKeyVals {
  /** Distinguishes variables of the same key in one record; empty where there is one list alone. */
  scope: string;
  /** Where the list is in the body. */
  path: string;
  keyVals: readonly KeyVal[];
}

type Sealed = Readonly<Record<string, SealedSecret>>;

/** Each is sealed by a call of its own. */
const maxCredentials = 100;
const atOnce = 8;

/**
 * Seals the values of credentials, each by itself. Stars keep what is stored, without unsealing it; an empty value is none.
 * @param record what the secrets are bound to, for example `definition:<id>`
 * @throws ApiError 400 for stars where nothing is stored, and for too many credentials
 */
export async function sealCredentials(record: string, sent: readonly SentKeyVals[], stored: Sealed): Promise<Sealed> {
  const problems: Problem[] = [];
  const kept: Record<string, SealedSecret> = {};
  const fresh: [field: string, value: string][] = [];
  for (const { scope, path, keyVals } of sent) {
    for (const [at, { key, value, isCredential }] of keyVals.entries()) {
      const field = credentialField(scope, key);
      const known = isCredential ? stored[field] : undefined;
      if (value === maskedValue && known !== undefined) kept[field] = known;
      else if (value === maskedValue)
        problems.push({ in: "body", path: `${path}[${at}]`, problem: starsWithoutSecret(key) });
      else if (isCredential && value !== "") fresh.push([field, value]);
    }
  }
  if (Object.keys(kept).length + fresh.length > maxCredentials)
    problems.push({ in: "body", path: "", problem: `must have at most ${maxCredentials} credentials` });
  if (problems.length > 0) throw badRequest(problems);
  await mapBounded(fresh, atOnce, async ([field, value]) => {
    kept[field] = await seal(value, { record, field });
  });
  return kept;
}

/** Under which name the value of a credential is stored. */
export function credentialField(scope: string, key: string): string {
  return `${scope}#${key}`;
}

/** The variables as a plain item holds them: no credential has a value. */
export function withoutCredentials(keyVals: readonly KeyVal[]): KeyVal[] {
  return keyVals.map((pair) => (pair.isCredential ? { ...pair, value: "", choiceValues: [] } : pair));
}

function starsWithoutSecret(key: string): string {
  return `${maskedValue} stands for a stored credential, and ${key} has none; send its value`;
}
