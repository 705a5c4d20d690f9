import * as z from "zod";
import type { OperationFunction } from "../../../shared/access/audit/rules/functions.ts";
import type { ProjectAction } from "../../../shared/access/identity/rules/actions.ts";
import { defineRoute, fromBody, fromQuery, type RawRequest } from "../../../shared/http/route.ts";
import { filled, message, paging, successWithWarnings } from "../../../shared/http/schemas.ts";

export const projectKeyField = { project_key: z.string("must be a text") };

export const askedScope = { project: fromQuery("projectKey") };
const projectKey = filled("projectKey", 256);
export const askedQuery = z.object({ projectKey });

const sentScope = { project: fromBody("project_key") };
const nameSent = ({ body }: RawRequest): string => (typeof body.name === "string" ? body.name : "");
const may = (...verbs: ProjectAction[]) => ({ kind: "verb", verbs }) as const;

interface Words {
  path: `/${string}`;
  tag: string;
  /** `test` or `scan`, as verbs end. */
  verb: "test" | "scan";
  /** Verbs of which one lets read a single one. */
  readBy: readonly ProjectAction[];
  /** With its article: `a code scan`. */
  noun: string;
  nouns: string;
  function: OperationFunction;
  /** What the operation log says of a creation. */
  creation: "Create" | "Add";
}

/** The five endpoints that tests and code scans have alike (decisions 7.7). */
export function definitionRoutes<
  Sent extends z.ZodType,
  Listed extends z.ZodType,
  Shown extends z.ZodType,
  Named extends z.ZodObject,
  Parameter extends string,
>(words: Words, shapes: { sent: Sent; listed: Listed; shown: Shown; named: Named; parameter: Parameter }) {
  const { path, tag, verb, noun, nouns } = words;
  return {
    create: defineRoute({
      method: "POST",
      path,
      summary: `Create ${noun}`,
      tag,
      permission: may(`create_${verb}`),
      scope: sentScope,
      body: shapes.sent,
      response: successWithWarnings,
      audit: { function: words.function, method: words.creation, detail: nameSent, body: "json" },
    }),
    update: defineRoute({
      method: "PUT",
      path,
      summary: `Replace ${noun}; credentials that are sent as ******** stay`,
      tag,
      permission: may(`edit_${verb}`),
      scope: sentScope,
      body: shapes.sent,
      response: successWithWarnings,
      audit: { function: words.function, method: "Update", detail: nameSent, body: "json" },
    }),
    remove: defineRoute({
      method: "DELETE",
      path,
      summary: `Delete ${noun} that no workflow refers to, and end its tasks`,
      tag,
      permission: may(`delete_${verb}`),
      scope: askedScope,
      query: z.object({ projectKey, name: filled("name", 256) }),
      response: message,
      audit: { function: words.function, method: "Delete", detail: ({ query }) => query.name ?? "", body: "none" },
    }),
    list: defineRoute({
      method: "GET",
      path,
      summary: `List the ${nouns} of a project by name`,
      tag,
      permission: may(`get_${verb}`),
      scope: askedScope,
      query: z.object({ projectKey, ...paging }),
      response: shapes.listed,
    }),
    read: defineRoute({
      method: "GET",
      path: `${path}/:${shapes.parameter}`,
      summary: `Read ${noun}; values of credentials are shown as ********`,
      tag,
      permission: may(...words.readBy),
      scope: askedScope,
      params: shapes.named,
      query: askedQuery,
      response: shapes.shown,
    }),
  };
}
