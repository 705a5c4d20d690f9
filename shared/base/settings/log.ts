import { appendFileSync, closeSync, openSync } from "node:fs";

type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** The file that is open, and the lines that it gets at the end of this turn of the event loop. */
let sink: { file: string; descriptor: number | undefined; lines: string[] } | undefined;
/** Lines that could not be written since the last one that could. */
let dropped = 0;

/**
 * The structured log: one JSON object a line on standard output (CloudWatch reads it so), or appended to the file in
 * `SLIPWAY_LOG_FILE`. Callers pass ids, names and counts; never a body, a header or a token. A line that cannot be
 * written, because the disk is full for example, is dropped; the next one that can be says how many were.
 */
export const log = {
  info: (message: string, fields: Fields = {}): void => write("INFO", message, fields),
  warn: (message: string, fields: Fields = {}): void => write("WARN", message, fields),
  error: (message: string, fields: Fields = {}): void => write("ERROR", message, fields),
};

function write(level: string, message: string, fields: Fields): void {
  const file = process.env.SLIPWAY_LOG_FILE;
  const line = lineOf(level, message, fields);
  if (file === undefined) process.stdout.write(line);
  else appendSoon(file, line);
}

function lineOf(level: string, message: string, fields: Fields): string {
  const line = { level, message, timestamp: new Date().toISOString(), service: "slipway", ...fields };
  return `${JSON.stringify(line)}\n`;
}

/** One write for all lines of a turn: requests that are answered side by side wait for the file once. */
function appendSoon(file: string, line: string): void {
  if (sink?.file !== file) {
    append();
    if (sink?.descriptor !== undefined) closeSync(sink.descriptor);
    sink = { file, descriptor: undefined, lines: [] };
  }
  if (sink.lines.length === 0) setImmediate(append);
  sink.lines.push(line);
}

function append(): void {
  if (sink === undefined || sink.lines.length === 0) return;
  const { lines } = sink;
  sink.lines = [];
  // What was being written when the disk became full may have left half a line.
  const gap = dropped === 0 ? "" : `\n${lineOf("WARN", "lines of this log were dropped", { lines: dropped })}`;
  try {
    sink.descriptor ??= openSync(sink.file, "a", 0o600);
    appendFileSync(sink.descriptor, gap + lines.join(""));
    dropped = 0;
  } catch {
    dropped += lines.length;
  }
}

process.on("exit", append);
