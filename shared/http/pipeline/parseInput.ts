import type * as z from "zod";
import { badRequest, type Problem } from "../../domain/errors/apiError.ts";
import { type Middleware, rawRequest } from "../exchange.ts";
import { previewProblems } from "../preview.ts";

/** Parses path, query and body together and reports every problem at once (design 3). */
export function parseInput(): Middleware {
  return {
    before: ({ internal }) => {
      const { route } = internal;
      if (route === undefined) return;
      const problems: Problem[] = previewProblems(internal);
      const read = (place: Problem["in"], schema: z.ZodType, value: unknown): unknown => {
        const parsed = schema.safeParse(value);
        if (parsed.success) return parsed.data;
        problems.push(...parsed.error.issues.flatMap((issue) => problemsOf(place, issue)));
        return undefined;
      };
      const body = route.bodyFor?.(rawRequest(internal).query) ?? route.body;
      const input = {
        params: read("path", route.params, internal.params),
        query: read("query", route.query, { ...internal.query }),
        body: body && read("body", body, internal.body),
      };
      if (problems.length > 0) throw badRequest(problems);
      internal.input = input;
    },
  };
}

/** A refused union tells the problems of its likeliest member: the one that got furthest. */
function problemsOf(place: Problem["in"], issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const likeliest = [...issue.errors].sort((a, b) => depth(b) - depth(a))[0] ?? [];
    return likeliest.flatMap((inner) => problemsOf(place, { ...inner, path: [...issue.path, ...inner.path] }));
  }
  return [{ in: place, path: pathText(issue.path), problem: issueText(issue) }];
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type" && issue.message.includes("received undefined"))
    return `is required (${issue.expected})`;
  return issue.message;
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}
