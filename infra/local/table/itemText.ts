import type { Attributes } from "../../../shared/base/store/engine.ts";

/** Stand for what JSON cannot say, in items that have any. */
const setMark = "\0set";
const bytesMark = "\0bytes";

/** An item as the file keeps it: JSON, with marks where `isMarked` says so. */
export interface ItemText {
  text: string;
  isMarked: boolean;
}

/** What is `undefined` is left out, in lists too. */
export function toItemText(item: Readonly<Attributes>): ItemText {
  let isMarked = false;
  const text = JSON.stringify(item, function (this: Record<string, unknown>, name, value: unknown) {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.includes(undefined) ? value.filter((member) => member !== undefined) : value;
    // A Buffer has said what it is as JSON before it comes here.
    const given = this[name];
    if (given instanceof Set) {
      isMarked = true;
      return { [setMark]: [...given] };
    }
    if (given instanceof Uint8Array) {
      isMarked = true;
      return { [bytesMark]: Buffer.from(given).toString("base64") };
    }
    return value;
  });
  return { text, isMarked };
}

export function fromItemText({ text, isMarked }: ItemText): Attributes {
  const item: unknown = JSON.parse(text);
  return (isMarked ? unmarked(item) : item) as Attributes;
}

/** Puts what marks stand for into their places. JSON's own reviver does the same, and takes three times as long. */
function unmarked(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { [setMark]: members, [bytesMark]: bytes } = value as { [setMark]?: unknown; [bytesMark]?: unknown };
  if (Array.isArray(members)) return new Set(members.map(unmarked));
  if (typeof bytes === "string") return new Uint8Array(Buffer.from(bytes, "base64"));
  const held = value as Record<string, unknown>;
  for (const [name, inner] of Object.entries(held)) {
    const meant = unmarked(inner);
    if (meant !== inner) held[name] = meant;
  }
  return value;
}
