/** What a command says on standard output; one line break at its end. */
export function print(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

let written = (value: unknown): string => JSON.stringify(value, null, 2);

/** Chooses how `printJson` writes: as YAML, or as JSON otherwise. Its library is loaded only where it is asked for. */
export async function chooseForm(form: string | undefined): Promise<void> {
  if (form !== "yaml") return;
  const { dump } = await import("js-yaml");
  written = (value) => dump(value, { noRefs: true, lineWidth: -1 });
}

/** What machines read. */
export function printJson(value: unknown): void {
  print(written(value));
}

/** What goes on beside the output: progress and warnings, so that a pipe gets the output alone. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
