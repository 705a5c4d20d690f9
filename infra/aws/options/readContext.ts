import type { Node } from "constructs";
import type * as z from "zod";

/**
 * A value of the context: from `cdk.json` as it is written there, from `-c key=…` as JSON.
 * @throws Error when a text is no JSON
 */
export function readContext(node: Node, key: string): unknown {
  const value: unknown = node.tryGetContext(key);
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new Error(`context "${key}" must be JSON, for example -c ${key}='{"…": "…"}'`);
  }
}

/** An option of the stack that is off unless the context has it. @throws Error that names every wrong field */
export function readOption<Schema extends z.ZodType>(
  node: Node,
  key: string,
  schema: Schema,
): z.output<Schema> | undefined {
  return read(key, readContext(node, key), schema);
}

/** The same for an option that is a text, also as typed on the command line. @throws Error that says what is wrong */
export function readText(node: Node, key: string, schema: z.ZodString): string | undefined {
  return read(key, node.tryGetContext(key) as unknown, schema);
}

function read<Schema extends z.ZodType>(key: string, value: unknown, schema: Schema): z.output<Schema> | undefined {
  if (value === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${[key, ...path].join(".")} ${message}`);
  throw new Error(`context cannot be used: ${problems.join("; ")}`);
}
