import { beginsWithVariable, firstVariable, replaceVariables } from "../../../base/common/placeholders.ts";

export type Variables = ReadonlyMap<string, string>;

/** Whether a text has no variable, or none is left. */
export function isRendered(text: string): boolean {
  return firstVariable(text) === undefined;
}

/**
 * Replaces known variables in every text of a value, early: a variable whose value is empty, or begins with a variable,
 * stays for later (contract W 6). Keys of objects are left alone, and so are the marker `<+fixed>` and templates of others.
 */
export function renderEarly<T>(value: T, variables: Variables): T {
  return mapTexts(value, (text) =>
    replaceVariables(text, (path, written) => {
      const found = variables.get(path);
      return found === undefined || found === "" || beginsWithVariable(found) ? written : found;
    }),
  );
}

/**
 * Replaces what is left just before the job starts: an unknown variable becomes an empty text (contract W 6).
 * @param unknown returns another text for an unknown path
 */
export function renderLate<T>(value: T, variables: Variables, unknown: (path: string) => string = () => ""): T {
  return mapTexts(value, (text) => replaceVariables(text, (path) => variables.get(path) ?? unknown(path)));
}

/** Paths of the variables in every text of a value, in their order. */
export function placeholderPaths(value: unknown): string[] {
  const paths: string[] = [];
  mapTexts(value, (text) =>
    replaceVariables(text, (path, written) => {
      paths.push(path);
      return written;
    }),
  );
  return paths;
}

/** Puts the service and module of a per-service job into the paths of its variables (contract W 6). */
export function withServiceModule<T>(value: T, service: string, module: string): T {
  return mapTexts(value, (text) =>
    replaceVariables(text, (_path, written) => written.replaceAll("<SERVICE>", service).replaceAll("<MODULE>", module)),
  );
}

/** A value with every text in it changed; keys of objects are left alone. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  return walk(value, change) as T;
}

function walk(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => walk(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one, change)]));
}
