import type * as z from "zod";
import { plainProblem } from "./plainProblem.ts";
import { sentPath } from "./withAliases.ts";

/** One thing that is wrong with a value: where it is, and what is wrong. */
export interface Refused {
  path: PropertyKey[];
  message: string;
}

/** A value as its schema reads it, or everything that is wrong with it; what is missing `is required`. */
export function readValue<S extends z.ZodType>(
  schema: S,
  value: unknown,
): { data: z.output<S>; refused?: undefined } | { refused: Refused[] } {
  const read = schema.safeParse(value, { reportInput: true, error: plainProblem });
  if (read.success) return { data: read.data };
  const refused = read.error.issues.flatMap(refusedOf);
  return { refused: refused.map(({ path, message }) => ({ path: sentPath(value, path), message })) };
}

/** A refused union tells the problems of its likeliest member: the one that got furthest. */
function refusedOf(issue: z.core.$ZodIssue): Refused[] {
  if (issue.code === "invalid_union" && issue.errors.length > 0 && issue.input !== undefined) {
    const likeliest = [...issue.errors].sort((a, b) => depth(b) - depth(a))[0] ?? [];
    return likeliest.flatMap((inner) => refusedOf({ ...inner, path: [...issue.path, ...inner.path] }));
  }
  return [{ path: issue.path, message: isAbsent(issue) ? "is required" : issue.message }];
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

/** What a schema wants of a value does not help a client that sent none; a sentence of its own for that case stays. */
function isAbsent({ code, input, message }: z.core.$ZodIssue): boolean {
  const isOfType = code === "invalid_type" || code === "invalid_value" || code === "invalid_union";
  return isOfType && input === undefined && /^(\S+ )?must |^Invalid /.test(message);
}

/** `["users", 0, "user"]` as `users[0].user`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}
