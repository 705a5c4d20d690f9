import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";

type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

let sink: { file: string | undefined; stream: Writable } | undefined;
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
  if (sink === undefined || sink.file !== file) sink = { file, stream: openSink(file) };
  const lost = dropped;
  dropped = 0;
  // What was being written when the disk became full may have left half a line.
  const gap = lost === 0 ? "" : `\n${lineOf("WARN", "lines of this log were dropped", { lines: lost })}`;
  sink.stream.write(gap + lineOf(level, message, fields), (error) => {
    if (error) dropped += lost + 1;
  });
}

function lineOf(level: string, message: string, fields: Fields): string {
  const line = { level, message, timestamp: new Date().toISOString(), service: "slipway", ...fields };
  return `${JSON.stringify(line)}\n`;
}

function openSink(file: string | undefined): Writable {
  if (file === undefined) return process.stdout;
  const stream = createWriteStream(file, { flags: "a", mode: 0o600 });
  // It has ended with that; the next line opens the file again.
  stream.on("error", () => {
    if (sink?.stream === stream) sink = undefined;
  });
  return stream;
}
