import { createContext, Script } from "node:vm";

/** Of one comparison. */
const mostMilliseconds = 100;
const longestRepetition = 1000;

/**
 * What is wrong with a regular expression of RE2's syntax, as far as JavaScript has it, too (decisions 19.4); undefined
 * for one that can be compared.
 */
export function expressionProblem(text: string): string | undefined {
  try {
    compiled(text);
    return undefined;
  } catch (error) {
    return `must be a regular expression of RE2: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Whether a regular expression is found anywhere in a value, as Go's `MatchString` has it.
 * @throws Error for what is no expression of RE2, and for one that takes more than 100 ms
 */
export function isFound(text: string, value: string): boolean {
  const { source, flags } = compiled(text);
  const context = createContext({ source, flags, value });
  try {
    return comparison.runInContext(context, { timeout: mostMilliseconds }) === true;
  } catch (cause) {
    throw new Error(`${text} takes more than ${mostMilliseconds} ms to compare`, { cause });
  }
}

/** JavaScript goes back as often as an expression makes it; only the machine that runs it can stop it. */
const comparison = new Script("new RegExp(source, flags).test(value)");

function compiled(text: string): RegExp {
  const flags = /^\(\?([ims]+)\)/.exec(text);
  const pattern = text.slice(flags?.[0].length ?? 0);
  // What is escaped, and what is in brackets, is nothing else.
  const plain = pattern.replace(/\\[^\dkpPxu]|\[(?:\\.|[^\]\\])*\]/gs, "x");
  if (/\(\?(?:[=!]|<[=!])/.test(plain)) throw new Error("it looks ahead or behind, which RE2 does not");
  if (/\\[1-9]|\\k/.test(plain)) throw new Error("it refers back to a group, which RE2 does not");
  for (const [, least = "", most = ""] of plain.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    if (Math.max(Number(least), Number(most)) > longestRepetition)
      throw new Error(`it repeats more than ${longestRepetition} times`);
  // RE2 lets any sign be escaped, and names groups as Python does.
  const source = pattern
    .replace(/\\([\s\S])/g, (whole, sign: string) => (/["#%&',:;<=>@_`~! ]/.test(sign) ? sign : whole))
    .replaceAll("(?P<", "(?<")
    .replace(/\\-(?![^[]*\])/g, "-");
  return new RegExp(source, [...new Set(`u${flags?.[1] ?? ""}`)].join(""));
}
