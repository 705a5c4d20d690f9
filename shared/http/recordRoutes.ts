import * as z from "zod";
import type { OperationFunction } from "../access/audit/rules/functions.ts";
import { defineRoute, type RawRequest } from "./route.ts";
import { message } from "./schemas.ts";

const permission = { kind: "systemAdmin" } as const;
const params = z.object({ id: z.string() });
const namedInPath = ({ params: { id } }: RawRequest): string => id ?? "";

interface Words {
  path: `/${string}`;
  idForm: "hex" | "int";
  tag: string;
  function: OperationFunction;
  /** With its article: `a code host`. */
  noun: string;
  nouns: string;
  nameField: string;
  /** What adding one is called in the operation log. */
  adding?: "Add" | "Create";
}

interface Shapes<New, Changed, Listed, Shown, Added> {
  added: New;
  changed: Changed;
  listed: Listed;
  shown: Shown;
  made: Added;
}

/** The five endpoints that every record which jobs refer to has (decisions 7.7). */
export function recordRoutes<
  New extends z.ZodType,
  Changed extends z.ZodType,
  Listed extends z.ZodType,
  Shown extends z.ZodType,
  Added extends z.ZodType,
>(words: Words, shapes: Shapes<New, Changed, Listed, Shown, Added>) {
  const { path, tag, noun, nouns, nameField, adding = "Add" } = words;
  const one = `${path}/:id(${words.idForm})` as const;
  const named = ({ body }: RawRequest) => {
    const name = body[nameField];
    return typeof name === "string" ? name : "";
  };
  return {
    list: defineRoute({
      method: "GET",
      path,
      summary: `List all ${nouns} by ${nameField}`,
      tag,
      permission,
      response: shapes.listed,
    }),
    add: defineRoute({
      method: "POST",
      path,
      summary: `Add ${noun}`,
      tag,
      permission,
      body: shapes.added,
      response: shapes.made,
      audit: { method: adding, function: words.function, detail: named, body: "json" },
    }),
    read: defineRoute({
      method: "GET",
      path: one,
      summary: `Read ${noun}`,
      tag,
      permission,
      params,
      response: shapes.shown,
    }),
    change: defineRoute({
      method: "PUT",
      path: one,
      summary: `Replace ${noun}; secrets that are not given stay`,
      tag,
      permission,
      params,
      body: shapes.changed,
      response: message,
      audit: { method: "Update", function: words.function, detail: namedInPath, body: "json" },
    }),
    remove: defineRoute({
      method: "DELETE",
      path: one,
      summary: `Delete ${noun} that nothing refers to`,
      tag,
      permission,
      params,
      response: message,
      audit: { method: "Delete", function: words.function, detail: namedInPath, body: "none" },
    }),
  };
}
