import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";

type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

let sink: { file: string | undefined; stream: Writable } | undefined;

/**
 * The structured log: one JSON object a line on standard output (CloudWatch reads it so), or appended to the file in
 * `SLIPWAY_LOG_FILE`. Callers pass ids, names and counts; never a body, a header or a token.
 */
export const log = {
  info: (message: string, fields: Fields = {}): void => write("INFO", message, fields),
  warn: (message: string, fields: Fields = {}): void => write("WARN", message, fields),
  error: (message: string, fields: Fields = {}): void => write("ERROR", message, fields),
};

function write(level: string, message: string, fields: Fields): void {
  const file = process.env.SLIPWAY_LOG_FILE;
  if (sink === undefined || sink.file !== file)
    sink = {
      file,
      stream: file === undefined ? process.stdout : createWriteStream(file, { flags: "a", mode: 0o600 }),
    };
  sink.stream.write(
    `${JSON.stringify({ level, message, timestamp: new Date().toISOString(), service: "slipway", ...fields })}\n`,
  );
}
