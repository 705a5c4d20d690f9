import type { EnvironmentVariable } from "./containerJob.ts";

/** Replaces `$NAME` and `${NAME}` by values of variables; unknown names stay as they are. */
export function expandVariables(text: string, variables: readonly EnvironmentVariable[]): string {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  return text.replace(
    /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g,
    (whole, braced: string | undefined, plain: string | undefined) => values.get(braced ?? plain ?? "") ?? whole,
  );
}
