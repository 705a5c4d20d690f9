import {
  boolYaml11Tag,
  CORE_SCHEMA,
  DUMP_SCHEMA,
  defineScalarTag,
  mergeTag,
  NOT_RESOLVED,
  type ScalarTagDefinition,
} from "js-yaml";
// What is read here is written as JSON in many places.
import "../../base/common/exactJson.ts";

const NUMBER_STARTS = [..."+-.0123456789"];
const INTEGER = /^[-+]?(?:0|[1-9][0-9]*|0[0-7]+|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const SPECIAL_FLOAT = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/** The integers that some type of Kubernetes holds: int64 and uint64. */
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 64n - 1n];

/** Why plain text is an integer that is not taken; undefined for all that is. */
export function integerProblem(text: string, taken: "safe" | "64 bits" | "any"): string | undefined {
  const plain = text.replaceAll("_", "");
  if (taken === "any" || !INTEGER.test(plain)) return undefined;
  const value = exactOf(plain);
  if (value < LEAST || value > MOST) return "it has more than 64 bits";
  return taken === "safe" && !Number.isSafeInteger(Number(value)) ? "it has more than 53 bits" : undefined;
}

/** Whether plain text is a number without a JSON form. */
export function isSpecialFloat(text: string): boolean {
  return SPECIAL_FLOAT.test(text);
}

/** A number where it is exact, else a bigint (decisions 20.4); beyond 64 bits the nearest number, as kubectl reads it. */
function integerOf(text: string): number | bigint {
  if (/^[-+]?(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text) || 0;
  const exact = exactOf(text);
  const value = Number(exact);
  return Number.isSafeInteger(value) || exact < LEAST || exact > MOST ? value : exact;
}

function exactOf(text: string): bigint {
  const digits = text.replace(/^[-+]/, "");
  const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  return text.startsWith("-") ? -value : value;
}

const intTag = defineScalarTag<number | bigint>("tag:yaml.org,2002:int", {
  implicit: true,
  implicitFirstChars: NUMBER_STARTS,
  resolve(source) {
    const plain = source.replaceAll("_", "");
    return INTEGER.test(plain) ? integerOf(plain) : NOT_RESOLVED;
  },
  identify: (data) => Number.isInteger(data) || typeof data === "bigint",
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

const dumpedInt = DUMP_SCHEMA.tags.find(
  (tag) => tag.tagName === "tag:yaml.org,2002:int" && tag.nodeKind === "scalar",
) as ScalarTagDefinition<unknown>;

/** Writes what `KUBERNETES_SCHEMA` reads: texts that YAML 1.1 or 1.2 reads as something else are quoted, bigints are integers. */
export const EXACT_DUMP_SCHEMA = DUMP_SCHEMA.withTags({
  ...dumpedInt,
  identify: (data) => typeof data === "bigint" || dumpedInt.identify(data),
  represent: String,
});
