import { variableSource } from "../../base/common/placeholders.ts";
import { isRecord } from "../../manifest/schema/kubeObject.ts";

/** A variable of scripts with a text of others. */
interface TextVariable {
  name: string;
  value: string;
  isCredential: false;
}

/** Beside the fields of a definition, so that a retry has the same. */
const field = "slipway_outside";
const placeholder = new RegExp(`${variableSource}|\\$\\(inputs\\.([^()]+)\\)`, "g");
/** What others can choose: what set the task going, and what is made of that; inputs of plugins are too. */
const outside = /^(?:payload|workflow\.params|job)\./;

/** Notes with a definition that others set its task going, and what they said, by the placeholder's path. */
export function outsideInto<T extends object>(definition: T, said: Readonly<Record<string, string>>): T {
  return { ...definition, [field]: said };
}

/**
 * Scripts of one job that keep texts of others out of what a shell reads (decisions 17.6): placeholders become variables
 * `SLIPWAY_TEXT_<path>`, which a shell expands and does not evaluate. Tasks that people start have the texts in place, as ever.
 * @param inputs of a plugin, by name; names that it does not have are no placeholders
 */
export function withTextsApart(
  scripts: readonly string[],
  definition: object,
  inputs: ReadonlyMap<string, string> = new Map(),
): { scripts: string[]; variables: TextVariable[] } {
  const said: unknown = Reflect.get(definition, field);
  if (!isRecord(said)) return { scripts: [...scripts], variables: [] };
  const texts = new Map<string, string>();
  const apart = scripts.map((script) =>
    script.replace(placeholder, (whole, path: string | undefined, input: string | undefined, at: number) => {
      if (path !== undefined && !outside.test(path)) return whole;
      const text = path === undefined ? inputs.get(input ?? "") : textOf(path, said);
      if (text === undefined) return whole;
      const name = nameOf(path ?? `inputs.${input}`);
      texts.set(name, text);
      const reference = `\${${name}}`;
      return isInSingleQuotes(script.slice(0, at)) ? `'"${reference}"'` : reference;
    }),
  );
  const variables = [...texts].map(([name, value]): TextVariable => ({ name, value, isCredential: false }));
  return { scripts: apart, variables };
}

/** Whether a command hands its arguments to a shell as scripts: `sh -c`, `bash -ec`. */
export function isShell([program = "", ...rest]: readonly string[], args: readonly string[]): boolean {
  return /(?:^|\/)(?:ba|da|a|z|k)?sh$/.test(program) && [...rest, ...args].some((one) => /^-[a-z]*c$/.test(one));
}

/** What is known of a text later is replaced in the variable, as anywhere. */
function textOf(path: string, said: Readonly<Record<string, unknown>>): string {
  return path.startsWith("payload.") ? String(said[path] ?? "") : `{{.${path}}}`;
}

/** The same for a placeholder in all scripts of a job, and another one for every other placeholder. */
function nameOf(path: string): string {
  const letters = path.replace(/[^A-Za-z0-9]/gu, (one) =>
    one === "." ? "__" : `_x${one.codePointAt(0)?.toString(16)}_`,
  );
  return `SLIPWAY_TEXT_${letters}`;
}

/**
 * Whether a shell that has read so much is within single quotes. Where this is mistaken, in here-documents and nested quotes,
 * the name of the variable is what the script has instead of its value: a text of others is never part of the script.
 */
function isInSingleQuotes(script: string): boolean {
  const parts = /\\[\s\S]|"(?:\\[\s\S]|[^"\\])*"?|'[^']*'?|(?<![^\s;&|()])#[^\n]*|[\s\S]/g;
  return /^'[^']*$/.test(script.match(parts)?.at(-1) ?? "");
}
