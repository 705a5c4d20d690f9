import type * as z from "zod";

const types: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const units: Readonly<Record<string, string>> = { string: "character", array: "item" };

/**
 * What is wrong with a value, for schemas that say nothing of their own: what would be right, as users of the API read it.
 * Undefined leaves it to the library's words.
 */
export function plainProblem(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type": {
      const wanted = types[issue.expected];
      return wanted && `must be ${wanted}`;
    }
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "too_small":
      return limited(issue.origin, issue.minimum, "least", "more");
    case "too_big":
      return limited(issue.origin, issue.maximum, "most", "less");
    case "unrecognized_keys":
      return `does not take ${issue.keys.join(", ")}`;
    default:
      return undefined;
  }
}

function limited(origin: string, limit: number | bigint, bound: "least" | "most", beyond: "more" | "less"): string {
  const unit = units[origin];
  if (unit === undefined) return `must be ${limit} or ${beyond}`;
  if (bound === "least" && Number(limit) === 1) return "must not be empty";
  return `must have at ${bound} ${limit} ${unit}${Number(limit) === 1 ? "" : "s"}`;
}
