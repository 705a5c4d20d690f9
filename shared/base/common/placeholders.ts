/**
 * The variables of workflows (contract W 6, decisions 19.2), in every place that knows them: `{{.<root>.<name>}}` and
 * `{{.project}}`, with white space inside the braces. What begins with no root of these is a template of another
 * program, and stays byte for byte. `credential.<id>` refers to a credential that is sealed with its task.
 */
const roots = "(?:workflow|job|payload|parameters?|project)\\.[^{}\\s]+|project|credential\\.[0-9a-f]{16}";

/** The source of a regular expression that matches one variable, and captures its path. */
export const variableSource = `\\{\\{\\s*\\.(${roots})\\s*\\}\\}`;

const variables = new RegExp(variableSource, "g");
const one = new RegExp(variableSource);
const whole = new RegExp(`^${variableSource}$`);
const leading = new RegExp(`^${variableSource}`);

/** The text with each variable replaced. @param value by its path; the variable as it is written where it stays */
export function replaceVariables(text: string, value: (path: string, written: string, at: number) => string): string {
  return text.replace(variables, (written: string, path: string, at: number) => value(path, written, at));
}

/** The paths of the variables in a text, with where each begins. */
export function variablesIn(text: string): { path: string; at: number }[] {
  return [...text.matchAll(variables)].map((found) => ({ path: found[1] ?? "", at: found.index }));
}

/** The path of the first variable in a text. */
export function firstVariable(text: string): string | undefined {
  return one.exec(text)?.[1];
}

/** Whether a text is one variable and nothing else. */
export function isVariable(text: string): boolean {
  return whole.test(text);
}

/** Whether a text begins with a variable. */
export function beginsWithVariable(text: string): boolean {
  return leading.test(text);
}
