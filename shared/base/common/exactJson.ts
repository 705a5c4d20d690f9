declare global {
  interface JSON {
    rawJSON(text: string): object;
  }
  interface BigInt {
    toJSON(): object;
  }
}

/** Wherever JSON is written, an integer that JavaScript's numbers cannot hold is written digit by digit. */
BigInt.prototype.toJSON = function (this: bigint) {
  return JSON.rawJSON(String(this));
};

/** The reviver of a primitive value is told how it is written. */
const parseWithSource = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

const longInteger = /^-?\d{16,}$/;
/** Whether a text may hold one; it is quicker than looking at every value. */
const hasLongInteger = /[[{:,\s]-?\d{16,}\s*[,\]}]/;

/** Reads JSON; an integer that JavaScript's numbers cannot hold becomes a bigint. @throws SyntaxError */
export function parseExactJson(text: string): unknown {
  if (!hasLongInteger.test(text)) return JSON.parse(text);
  return parseWithSource(text, (_key, value, { source = "" }) => {
    const isExact = typeof value !== "number" || Number.isSafeInteger(value) || !longInteger.test(source);
    return isExact ? value : BigInt(source);
  });
}
