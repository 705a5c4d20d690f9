import { isObject, type JsonObject } from "./json.ts";

const TYPE_GUARDS: [RegExp, string][] = [
  [/^Numeric/, "IsNumeric"],
  [/^String/, "IsString"],
  [/^Timestamp/, "IsTimestamp"],
];

/**
 * Writes a rule so that the library judges it as Step Functions does: `IsPresent: false` and its kin mean "not", a value
 * of another type than the operator's does not match, and in StringMatches only `*` is special.
 */
export function choiceRule(rule: JsonObject): JsonObject {
  const { Next, ...test } = rule;
  const next = Next === undefined ? {} : { Next };
  if (Array.isArray(test.And)) return { And: test.And.filter(isObject).map(choiceRule), ...next };
  if (Array.isArray(test.Or)) return { Or: test.Or.filter(isObject).map(choiceRule), ...next };
  if (isObject(test.Not)) return { Not: choiceRule(test.Not), ...next };
  const operator = Object.keys(test).find((key) => key !== "Variable" && key !== "Comment") ?? "";
  const variable = test.Variable ?? null;
  if (operator.startsWith("Is") && test[operator] === false) {
    return { Not: { Variable: variable, [operator]: true }, ...next };
  }
  const guard = TYPE_GUARDS.find(([pattern]) => pattern.test(operator))?.[1];
  if (!guard) return rule;
  const value = operator === "StringMatches" ? String(test[operator]).replaceAll("?", "\\?") : (test[operator] ?? null);
  return {
    And: [
      { Variable: variable, [guard]: true },
      { Variable: variable, [operator]: value },
    ],
    ...next,
  };
}
