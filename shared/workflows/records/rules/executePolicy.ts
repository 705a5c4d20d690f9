export interface ExecuteRule {
  field: string;
  verb: string;
  value: string;
}

const verbs: Readonly<Record<string, (field: string, value: string) => boolean>> = {
  "=": (field, value) => field === value,
  "!=": (field, value) => field !== value,
  begins_with: (field, value) => field.startsWith(value),
  not_begins_with: (field, value) => !field.startsWith(value),
  ends_with: (field, value) => field.endsWith(value),
  not_ends_with: (field, value) => !field.endsWith(value),
  contains: (field, value) => field.includes(value),
  not_contains: (field, value) => !field.includes(value),
};

export interface ExecutePolicyState {
  type: string;
  matchRule: string;
  /** Their variables are replaced already. */
  rules: readonly ExecuteRule[];
}

/**
 * Whether a job is skipped: `skip` when its rules match, `execute` when they do not (contract W 8.5). Without rules
 * `all` matches and `any` does not, as of an empty list. An unknown verb matches nothing.
 */
export function isSkipped({ type, matchRule, rules }: ExecutePolicyState): boolean {
  const holds = ({ field, verb, value }: ExecuteRule) => verbs[verb]?.(field, value) ?? false;
  const matches = matchRule === "any" ? rules.some(holds) : rules.every(holds);
  if (type === "skip") return matches;
  return type === "execute" && !matches;
}
