import { boolYaml11Tag, CORE_SCHEMA, defineScalarTag, mergeTag, NOT_RESOLVED } from "js-yaml";

const NUMBER_STARTS = [..."+-.0123456789"];
const INTEGER = /^[-+]?(?:0|[1-9][0-9]*|0[0-7]+|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const SPECIAL_FLOAT = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/** Whether plain text is an integer to Kubernetes that JavaScript cannot hold exactly. */
export function isUnsafeInteger(text: string): boolean {
  const plain = text.replaceAll("_", "");
  return INTEGER.test(plain) && !Number.isSafeInteger(integerOf(plain));
}

/** Whether plain text is a number without a JSON form. */
export function isSpecialFloat(text: string): boolean {
  return SPECIAL_FLOAT.test(text);
}

function integerOf(text: string): number {
  const digits = text.replace(/^[-+]/, "");
  const value = Number(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  return text.startsWith("-") && value !== 0 ? -value : value;
}

const intTag = defineScalarTag<number>("tag:yaml.org,2002:int", {
  implicit: true,
  implicitFirstChars: NUMBER_STARTS,
  resolve(source) {
    const plain = source.replaceAll("_", "");
    return INTEGER.test(plain) ? integerOf(plain) : NOT_RESOLVED;
  },
  identify: (data) => Number.isInteger(data),
});

const floatTag = defineScalarTag<number>("tag:yaml.org,2002:float", {
  implicit: true,
  implicitFirstChars: NUMBER_STARTS,
  resolve(source) {
    const plain = source.replaceAll("_", "");
    if (!FLOAT.test(plain)) return NOT_RESOLVED;
    const value = Number(plain);
    return Number.isFinite(value) ? value : NOT_RESOLVED;
  },
  identify: (data) => typeof data === "number",
});

const binaryTag = defineScalarTag<string>("tag:yaml.org,2002:binary", {
  resolve: (source) => Buffer.from(source, "base64").toString(),
  identify: () => false,
});

/**
 * Reads scalars as kubectl does, so that a manifest means here what it means there: `yes`, `on` and `y` are booleans,
 * `0644` is octal, dates are text, `<<` merges.
 */
export const KUBERNETES_SCHEMA = CORE_SCHEMA.withTags(boolYaml11Tag, intTag, floatTag, binaryTag, mergeTag);
