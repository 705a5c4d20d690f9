import { mostOutputBytes, statusMark } from "./marks.ts";

/** What the main container's termination message tells (decisions 7.4). */
export interface JobMessage {
  outputs: Record<string, string>;
  /** The outputs stand in the main container's log. */
  outputsInLog: boolean;
  outputsTooLong: boolean;
  /** Absent when no report was asked for. */
  report?: "log" | "none" | "too-large" | "unreadable";
  failed?: { step: string; exitCode: number };
}

const reportStates = ["log", "none", "too-large", "unreadable"] as const;

export function readMessage(text: string): JobMessage {
  const lines = text.split("\n").filter((line) => line !== "");
  const status = new Map(
    lines.filter((line) => line.startsWith(statusMark)).map((line) => [nameIn(line.slice(1)), textAfter(line)]),
  );
  const outputs = readOutputs(lines.filter((line) => !line.startsWith(statusMark)));
  const [step = "", code = ""] = (status.get("failed") ?? "").split(" ");
  const report = reportStates.find((state) => state === status.get("report"));
  return {
    outputs,
    outputsInLog: status.get("outputs") === "log",
    outputsTooLong: status.get("outputs") === "too-long" || areTooLong(outputs),
    ...(report !== undefined && { report }),
    ...(step !== "" && { failed: { step, exitCode: Number(code) || 1 } }),
  };
}

/** Lines `NAME=<base64>`; the line break that a file of a script's own ends with is not part of the value. */
export function readOutputs(lines: readonly string[]): Record<string, string> {
  const found = lines
    .filter((line) => /^[a-zA-Z0-9_]{1,64}=[A-Za-z0-9+/=]*$/.test(line))
    .map((line): [string, string] => [
      nameIn(line),
      Buffer.from(textAfter(line), "base64")
        .toString("utf8")
        .replace(/\r?\n$/, ""),
    ]);
  return Object.fromEntries(found);
}

export function areTooLong(outputs: Readonly<Record<string, string>>): boolean {
  return Buffer.byteLength(JSON.stringify(outputs)) > mostOutputBytes;
}

function nameIn(line: string): string {
  return line.slice(0, line.indexOf("="));
}

function textAfter(line: string): string {
  return line.slice(line.indexOf("=") + 1);
}
