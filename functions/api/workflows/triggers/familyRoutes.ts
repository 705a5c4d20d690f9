import * as z from "zod";
import { maskStart } from "../../../../shared/access/audit/maskStart.ts";
import { type Audit, defineRoute, fromPath, fromQuery, type RawRequest } from "../../../../shared/http/route.ts";
import { message } from "../../../../shared/http/schemas.ts";
import type { TriggerKind } from "../../../../shared/workflows/triggers/rules/trigger.ts";
import { inPath, inQuery } from "./schemas.ts";

export const tag = "Workflow triggers";
export const root = "/api/aslan/workflow/v4";
export const mayEdit = { kind: "verb", verbs: ["edit_workflow"], collaboration: "workflow" } as const;
export const mayRead = { kind: "verb", verbs: ["get_workflow"], collaboration: "workflow" } as const;
export const mayRun = { kind: "verb", verbs: ["run_workflow"], collaboration: "workflow" } as const;

/** The request names the workflow alone. */
export const ofPath = { projectOf: "workflow", workflow: fromPath("workflowName") } as const;
const ofQuery = { projectOf: "workflow", workflow: fromQuery("workflowName") } as const;

const workflowInPath = ({ params }: RawRequest): string => params.workflowName ?? "";

export function audit(method: string, body: "json" | "none"): Audit {
  return {
    ...{ method, function: "Workflow Trigger", detail: workflowInPath, body },
    ...(body === "json" && { kept: ({ body: sent }) => (Object.keys(sent).length === 0 ? undefined : masked(sent)) }),
  };
}

/** Which values are credentials the workflow alone knows. */
function masked(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { workflow_arg: arg } = sent;
  return { ...sent, ...(typeof arg === "object" && arg !== null && { workflow_arg: maskStart({ ...arg }) }) };
}

interface Words {
  kind: TriggerKind;
  noun: string;
  nouns: string;
}

interface Shapes<Added, Changed, Shown, Preset> {
  added: Added;
  changed: Changed;
  shown: Shown;
  preset: Preset;
}

/** The workflow is always in the path (decisions 12.9). */
export function routesInPath<
  Added extends z.ZodType,
  Changed extends z.ZodType,
  Shown extends z.ZodType,
  Preset extends z.ZodType,
>(words: Words, shapes: Shapes<Added, Changed, Shown, Preset>) {
  const path = `${root}/${words.kind}/:workflowName` as const;
  return {
    ...changes(words, shapes),
    list: defineRoute({
      method: "GET",
      path,
      summary: `List the ${words.nouns} of a workflow by name`,
      tag,
      permission: mayRead,
      scope: ofPath,
      params: inPath,
      response: z.array(shapes.shown),
    }),
    preset: defineRoute({
      method: "GET",
      path: `${path}/preset`,
      summary: `Read what a new ${words.noun} may be made of: parameters and jobs of the workflow`,
      tag,
      permission: mayRead,
      scope: ofPath,
      params: inPath,
      response: shapes.preset,
    }),
    remove: defineRoute({
      method: "DELETE",
      path: `${path}/:hookName`,
      summary: `Delete a ${words.noun}`,
      tag,
      permission: mayEdit,
      scope: ofPath,
      params: inPath.extend({ hookName: z.string() }),
      response: message,
      audit: audit("Delete", "none"),
    }),
  };
}

/** What is read names the workflow in the query (decisions 12.9). */
export function routesInQuery<
  Added extends z.ZodType,
  Changed extends z.ZodType,
  Shown extends z.ZodType,
  Preset extends z.ZodType,
>(words: Words, shapes: Shapes<Added, Changed, Shown, Preset>) {
  const path = `${root}/${words.kind}` as const;
  return {
    ...changes(words, shapes),
    list: defineRoute({
      method: "GET",
      path,
      summary: `List the ${words.nouns} of a workflow by name`,
      tag,
      permission: mayRead,
      scope: ofQuery,
      query: inQuery,
      response: z.array(shapes.shown),
    }),
    preset: defineRoute({
      method: "GET",
      path: `${path}/preset`,
      summary: `Read what a new ${words.noun} may be made of: parameters and jobs of the workflow`,
      tag,
      permission: mayRead,
      scope: ofQuery,
      query: inQuery,
      response: shapes.preset,
    }),
    remove: defineRoute({
      method: "DELETE",
      path: `${path}/:workflowName/trigger/:name`,
      summary: `Delete a ${words.noun}`,
      tag,
      permission: mayEdit,
      scope: ofPath,
      params: inPath.extend({ name: z.string() }),
      response: message,
      audit: audit("Delete", "none"),
    }),
  };
}

function changes<Added extends z.ZodType, Changed extends z.ZodType>(
  { kind, noun }: Words,
  { added, changed }: { added: Added; changed: Changed },
) {
  const path = `${root}/${kind}/:workflowName` as const;
  return {
    add: defineRoute({
      method: "POST",
      path,
      summary: `Add a ${noun} to a workflow; the tasks that it starts have the rights of who saved it`,
      tag,
      permission: mayEdit,
      scope: ofPath,
      params: inPath,
      body: added,
      response: message,
      audit: audit("Create", "json"),
    }),
    change: defineRoute({
      method: "PUT",
      path,
      summary: `Replace the ${noun} of that name; the tasks that it starts have the rights of who saved it`,
      tag,
      permission: mayEdit,
      scope: ofPath,
      params: inPath,
      body: changed,
      response: message,
      audit: audit("Update", "json"),
    }),
  };
}
