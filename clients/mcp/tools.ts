import type { Connection, operations, Problem } from "@slipway/client";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as z from "zod";
import { type ApiDocument, apiDocumentOf, type Operation } from "./apiDocument.ts";
import { type Call, callOperation, placed } from "./callOperation.ts";
import { confirmationOf, confirmedKey } from "./confirmation.ts";
import { maxCharacters, shownAnswer, type View } from "./shownAnswer.ts";
import { WrongCall } from "./wrongCall.ts";

/** The most problems that are reported: each member of a union that does not fit adds one. */
const maxProblems = 10;

/**
 * Where a body is not as the document says. No reason to refuse it: Slipway takes some spellings that the document does not
 * have, and says itself what it does not take.
 */
function bodyProblems(document: ApiDocument, { operation, body }: Call): Problem[] {
  if (operation.body === undefined || body === undefined) return [];
  // Schemas of the document may hold words of OpenAPI and formats that the validator does not know.
  const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false }).compile(
    document.whole(operation.body),
  );
  validate(body);
  return (validate.errors ?? []).slice(0, maxProblems).map(({ instancePath, message = "does not fit" }) => ({
    ...{ in: "body" as const, problem: message },
    path: instancePath.slice(1).replaceAll("/", "."),
  }));
}

/** The caller: with which token, at which Slipway. */
export interface Caller {
  connection: Connection;
  signal: AbortSignal;
}

export interface Tool {
  name: string;
  description: string;
  inputSchema: { type: "object"; [key: string]: unknown };
  annotations: { title: string; readOnlyHint: boolean; destructiveHint: boolean; openWorldHint: boolean };
  /** @throws WrongCall, SlipwayError, ZodError about the arguments */
  run(given: unknown, caller: Caller): Promise<string>;
}

/**
 * Reads that questions about a delivery begin with: tools of their own, so that they take one call. Everything else is
 * found by `find_operations`; a tool each for all that Slipway can would leave a model no room to think.
 */
const directReads: readonly (keyof operations)[] = [
  ...(["listProjects", "getProject", "getOwnPermission"] as const),
  ...(["listTestEnvironment", "detailTestEnvironment", "driftTestEnvironment"] as const),
  ...(["listPodsTestEnvironment", "listVersionsTestEnvironment"] as const),
  ...(["listProductionEnvironment", "detailProductionEnvironment", "driftProductionEnvironment"] as const),
  ...(["listPodsProductionEnvironment", "listVersionsProductionEnvironment"] as const),
  ...(["listKubeEvents", "followContainerLog"] as const),
  ...(["listWorkflows", "listTasks", "getTask", "getJobLog"] as const),
  ...(["listReleasePlans", "getReleasePlan", "getReleasePlanCalendar"] as const),
  ...(["listDeliveryVersions", "traceImage"] as const),
];

const view = {
  part: z.string().optional().meta({ description: "Part of a JSON answer alone, such as `services[0].containers`" }),
  skip: z.int().min(0).optional().meta({ description: "Characters left out from the beginning, to go on after a cut" }),
  lastLines: z.int().min(1).max(10_000).optional().meta({ description: "The last lines of a text or log alone" }),
};
const operation = z.string().meta({ description: "Its name, as find_operations tells it" });
const call = {
  operation,
  parameters: z.record(z.string(), z.unknown()).default({}).meta({ description: "Of path and query, by name" }),
  body: z.unknown().optional().meta({ description: "JSON that is sent, where the operation takes any" }),
};
const viewed = z.object(view);

const reading = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };

/** A tool whose arguments are checked by the schema that it shows. */
function tool<S extends z.ZodObject>(
  facts: Pick<Tool, "name" | "description"> & { title: string; input: S; changes?: true },
  run: (given: z.infer<S>, caller: Caller) => Promise<string>,
): Tool {
  const { name, description, title, input } = facts;
  const annotations = facts.changes ? { ...reading, readOnlyHint: false, destructiveHint: true } : reading;
  const { $schema, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  return {
    ...{ name, description, annotations: { title, ...annotations } },
    inputSchema: { ...inputSchema, type: "object" },
    run: (given, caller) => run(input.parse(given), caller),
  };
}

/** The tools that are there whatever Slipway answers. */
export const generalTools: readonly Tool[] = [
  tool(
    {
      name: "find_operations",
      title: "Find operations",
      description:
        "Find what Slipway can read or change, by words of what is wanted. Answers names for describe_operation, read and preview_change.",
      input: z.object({
        words: z.string().default("").meta({ description: "Such as `scale workload`; without any: every heading" }),
        changes: z.boolean().optional().meta({ description: "true: those that change alone; false: those that read" }),
      }),
    },
    async ({ words, changes }, { connection }) =>
      findOperations(await apiDocumentOf(connection.address), words, changes),
  ),
  tool(
    {
      name: "describe_operation",
      title: "Describe an operation",
      description: "Tell what an operation takes and answers: parameters, body and answer as JSON schemas.",
      input: z.object({ operation, ...view }),
    },
    async (given, { connection }) => {
      const document = await apiDocumentOf(connection.address);
      const found = operationIn(document, given.operation);
      return shownAnswer({ operation: found, parameters: {} }, describedBy(document, found), given);
    },
  ),
  tool(
    {
      name: "read",
      title: "Read from Slipway",
      description: `Call an operation that reads. An answer is cut after ${maxCharacters} characters, and says how to go on.`,
      input: z.object({ ...call, ...view }),
    },
    async (given, caller) => {
      const wanted = await callIn(caller, given);
      if (!wanted.operation.reads)
        throw new WrongCall(`${given.operation} changes something: preview_change tells what, make_change does it`);
      return read(caller, wanted, given);
    },
  ),
  tool(
    {
      name: "preview_change",
      title: "Preview a change",
      description:
        "Tell what a change would do; nothing is changed. Show it to the user and ask. The answer ends with the confirmation that make_change takes, valid for 10 minutes and this call alone.",
      input: z.object(call),
    },
    async (given, caller) => preview(caller, await callIn(caller, given)),
  ),
  tool(
    {
      name: "make_change",
      title: "Make a change",
      description:
        "Make a change that was previewed and that the user agreed to: the same operation, parameters and body, and the confirmation of the preview. Called again with the same confirmation it changes nothing more.",
      input: z.object({
        ...call,
        confirmation: z
          .string()
          .default("")
          .meta({ description: "What preview_change answered for exactly this call" }),
      }),
      changes: true,
    },
    async (given, caller) => makeChange(caller, await callIn(caller, given), given.confirmation),
  ),
];

/** Tools of the document, for reads that are often wanted. An older Slipway may lack some. */
export function directTools(document: ApiDocument): Tool[] {
  return directReads.flatMap((id) => {
    const found = document.operations.get(id);
    return found === undefined ? [] : [directTool(document, found)];
  });
}

function directTool(document: ApiDocument, found: Operation): Tool {
  const { properties: shown } = z.toJSONSchema(viewed, { io: "input" });
  const own = document.whole({
    properties: Object.fromEntries(found.parameters.map((one) => [one.name, parameterSchema(one)])),
  });
  return {
    name: found.id,
    description: `${found.summary}.`,
    annotations: { title: found.summary, ...reading },
    inputSchema: {
      ...own,
      type: "object",
      properties: { ...(own.properties as object), ...shown },
      required: found.parameters.filter(({ required }) => required).map(({ name }) => name),
    },
    run: (given, caller) => {
      const { part, skip, lastLines, ...parameters } = z.looseObject(view).parse(given);
      return read(caller, { operation: found, parameters }, { part, skip, lastLines });
    },
  };
}

function parameterSchema({ schema, description }: Operation["parameters"][number]): object {
  return { ...schema, ...(description !== undefined && { description }) };
}

async function callIn(
  { connection }: Caller,
  given: { operation: string; parameters: Record<string, unknown>; body?: unknown },
): Promise<Call> {
  const found = operationIn(await apiDocumentOf(connection.address), given.operation);
  if ("dryRun" in given.parameters)
    throw new WrongCall("dryRun is not a parameter here: preview_change sends it, make_change does not");
  const { parameters, body } = given;
  return { operation: found, parameters, ...(body !== undefined && { body }) };
}

function operationIn(document: ApiDocument, id: string): Operation {
  const found = document.operations.get(id);
  if (found === undefined)
    throw new WrongCall(`there is no operation ${id} for assistants: find_operations tells those that there are`);
  return found;
}

async function read({ connection, signal }: Caller, wanted: Call, shown: View): Promise<string> {
  return shownAnswer(wanted, await callOperation(connection, wanted, { signal }), shown);
}

/**
 * What Slipway would do; where Slipway cannot tell, the request that would be sent, and what is at that place now.
 * @throws SlipwayError with which the change itself would be refused, where Slipway can tell
 */
async function preview(caller: Caller, wanted: Call): Promise<string> {
  const { operation: found } = wanted;
  if (found.reads) throw new WrongCall(`${found.id} changes nothing: read calls it`);
  const told = found.previewable ? await dryRun(caller, wanted) : await shownRequest(caller, wanted);
  return `${told}\n\nNothing was changed. If the user agrees, call make_change with the same operation, parameters and body, and within 10 minutes with confirmation: ${confirmationOf(caller.connection, wanted)}`;
}

async function dryRun({ connection, signal }: Caller, wanted: Call): Promise<string> {
  return shownAnswer(wanted, await callOperation(connection, wanted, { dryRun: true, signal }), {});
}

async function shownRequest(caller: Caller, wanted: Call): Promise<string> {
  const { operation: found, parameters, body } = wanted;
  placed(wanted);
  const document = await apiDocumentOf(caller.connection.address);
  const request = `${found.method} ${found.path} ${JSON.stringify(parameters)}${body === undefined ? "" : `\n${JSON.stringify(body)}`}`;
  const problems = bodyProblems(document, wanted).map(({ path, problem }) => `\n${path || "the body"} ${problem}`);
  const doubt =
    problems.length === 0 ? "" : `\nThe document has this otherwise, so it may be refused:${problems.join("")}`;
  const told = `Slipway cannot tell beforehand what this change does. It is: ${found.summary}.\nThis would be sent:\n${request}${doubt}`;
  const now = [...document.operations.values()].find(({ method, path }) => method === "GET" && path === found.path);
  const isNamed = now?.parameters.some(({ in: place }) => place === "path");
  if (now === undefined || !isNamed) return told;
  const names = new Set(now.parameters.map(({ name }) => name));
  const same = Object.fromEntries(Object.entries(parameters).filter(([name]) => names.has(name)));
  return `${told}\nThis stands there now:\n${await read(caller, { operation: now, parameters: same }, {})}`;
}

async function makeChange({ connection, signal }: Caller, wanted: Call, confirmation: string): Promise<string> {
  if (wanted.operation.reads) throw new WrongCall(`${wanted.operation.id} changes nothing: read calls it`);
  const idempotencyKey = confirmedKey(confirmation, connection, wanted);
  return shownAnswer(wanted, await callOperation(connection, wanted, { idempotencyKey, signal }), {});
}

const maxFound = 40;

/** The operations whose text has most of the words; without words the headings. */
function findOperations({ operations: all }: ApiDocument, words: string, changes: boolean | undefined): string {
  const offered = [...all.values()].filter(({ reads }) => changes === undefined || reads !== changes);
  const wanted = words
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => word !== "")
    .map(stemOf);
  if (wanted.length === 0) return headings(offered);
  const ranked = offered
    .map((one) => ({ one, rank: rankOf(one, wanted) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank);
  if (ranked.length === 0) return `Nothing has these words. Slipway's headings:\n${headings(offered)}`;
  const lines = ranked.slice(0, maxFound).map(({ one }) => `${one.id} (${kindOf(one)}): ${one.summary}`);
  const left = ranked.length - lines.length;
  return lines.join("\n") + (left > 0 ? `\n[${left} more fit less well: use other words.]` : "");
}

function headings(offered: readonly Operation[]): string {
  const counts = new Map<string, number>();
  for (const { tag } of offered) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].map(([tag, count]) => `${tag}: ${count} operations`).join("\n");
}

/** Words in the name count most: they say what it is about; the heading only where. */
function rankOf({ id, summary, tag, path }: Operation, wanted: readonly string[]): number {
  const texts = [id, summary, `${tag} ${path}`].map((text) => text.toLowerCase());
  return wanted.reduce((sum, word) => {
    const at = texts.findIndex((text) => text.includes(word));
    return sum + (at === -1 ? 0 : 3 + (texts.length - at));
  }, 0);
}

/** So that `services` finds `service`. */
function stemOf(word: string): string {
  return word.length > 3 ? word.replace(/s$/, "") : word;
}

function kindOf({ reads, previewable }: Operation): string {
  if (reads) return "reads";
  return previewable ? "changes, with dry run" : "changes";
}

function describedBy(document: ApiDocument, found: Operation) {
  const { id, method, path, summary, parameters, body, answer } = found;
  const text = JSON.stringify({
    ...{ operation: id, kind: kindOf(found), summary, method, path },
    parameters: parameters.map((one) => ({
      ...{ name: one.name, in: one.in, required: one.required === true },
      schema: document.whole({ ...parameterSchema(one) }),
    })),
    ...(body && { body: document.whole(body) }),
    ...(answer && { answer: document.whole(answer) }),
  });
  const pieces = (async function* () {
    yield text;
  })();
  return { mediaType: "application/json", text: pieces, truncated: undefined };
}
