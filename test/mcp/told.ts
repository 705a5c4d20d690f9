import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";

export interface Told {
  isError: boolean;
  text: string;
  /** What a refused call says in fields. */
  refusal?: Record<string, unknown> & { problems?: unknown[] };
}

/** What a tool answers. */
export function told(result: unknown): Told {
  const { content, isError = false, structuredContent } = CallToolResultSchema.parse(result);
  const text = content.map((one) => (one.type === "text" ? one.text : `(${one.type})`)).join("\n");
  return { isError, text, ...(structuredContent && { refusal: structuredContent }) };
}

export function confirmationIn(text: string): string {
  return /confirmation: (\S+)$/.exec(text)?.[1] ?? "";
}
