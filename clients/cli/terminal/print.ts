/** What a command says on standard output; one line break at its end. */
export function print(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

/** What machines read. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** What goes on beside the output: progress and warnings, so that a pipe gets the output alone. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
