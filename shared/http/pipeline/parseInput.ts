import type * as z from "zod";
import { readBody } from "../../base/common/readBody.ts";
import { pathText, readValue } from "../../base/common/readValue.ts";
import { badRequest, type Problem } from "../../base/errors/apiError.ts";
import { type Middleware, rawRequest } from "../exchange.ts";
import { overrideProblems } from "../freezeQuery.ts";
import { previewProblems } from "../preview.ts";

/** Parses path, query and body together and reports every problem at once. */
export function parseInput(): Middleware {
  return {
    before: ({ internal }) => {
      const { route } = internal;
      if (route === undefined) return;
      const problems: Problem[] = [...previewProblems(internal), ...overrideProblems(internal)];
      const part = (place: Problem["in"], schema: z.ZodType, value: unknown): unknown => {
        const read = place === "body" ? readBody(schema, value) : readValue(schema, value);
        if (read.refused === undefined) return read.data;
        problems.push(
          ...read.refused.map(({ path, message }) => ({ in: place, path: pathText(path), problem: message })),
        );
        return undefined;
      };
      const body = route.bodyFor?.(rawRequest(internal).query) ?? route.body;
      const input = {
        params: part("path", route.params, internal.params),
        query: part("query", route.query, { ...internal.query }),
        body: body && part("body", body, internal.body),
      };
      if (problems.length > 0) throw badRequest(problems);
      internal.input = input;
    },
  };
}
