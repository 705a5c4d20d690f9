import type { CheckedOutCommit } from "./collectedJob.ts";
import { maxOutputBytes, statusMark } from "./marks.ts";

/** What the main container's termination message says (decisions 7.4). */
export interface JobMessage {
  outputs: Record<string, string>;
  commits: Map<number, CheckedOutCommit>;
  /** The outputs and the commits are in the main container's log. */
  outputsInLog: boolean;
  outputsTooLong: boolean;
  /** Absent when no report was asked for. */
  report?: "log" | "none" | "too-large" | "unreadable";
  /** `reason` is a sentence, where a step of ours said one. */
  failed?: { step: string; exitCode: number; reason: string };
}

const reportStates = ["log", "none", "too-large", "unreadable"] as const;

export function readMessage(text: string): JobMessage {
  const lines = text.split("\n").filter((line) => line !== "");
  const status = new Map(
    lines.filter((line) => line.startsWith(statusMark)).map((line) => [nameIn(line.slice(1)), textAfter(line)]),
  );
  const outputs = readOutputs(lines);
  const reason = Buffer.from(status.get("reason") ?? "", "base64")
    .toString("utf8")
    .trim();
  const [step = "", code = ""] = (status.get("failed") ?? "").split(" ");
  const report = reportStates.find((state) => state === status.get("report"));
  return {
    outputs,
    commits: readCommits(lines),
    outputsInLog: status.get("outputs") === "log",
    outputsTooLong: status.get("outputs") === "too-long" || areTooLong(outputs),
    ...(report !== undefined && { report }),
    ...(step !== "" && { failed: { step, exitCode: Number(code) || 1, reason } }),
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

/** Lines `@<place>=<base64>`, as the clone script leaves them: id and time, author and first line of the message. */
export function readCommits(lines: readonly string[]): Map<number, CheckedOutCommit> {
  const found = lines.flatMap((line): [number, CheckedOutCommit][] => {
    const [, place = "", text = ""] = /^@(\d{1,3})=([A-Za-z0-9+/=]*)$/.exec(line) ?? [];
    // What was cut in the middle of a character ends with one that cannot be read.
    const [head = "", author = "", message = ""] = Buffer.from(text, "base64").toString("utf8").split("\n");
    const [, id, time] = /^([0-9a-f]{40,64})(?: (\d{1,11}))?$/.exec(head) ?? [];
    if (id === undefined) return [];
    const told = { author: withoutCut(author), message: withoutCut(message) };
    return [[Number(place), { id, ...(time !== undefined && { time: Number(time) }), ...told }]];
  });
  return new Map(found);
}

function withoutCut(text: string): string {
  return text.replace(/\uFFFD+$/, "");
}

export function areTooLong(outputs: Readonly<Record<string, string>>): boolean {
  return Buffer.byteLength(JSON.stringify(outputs)) > maxOutputBytes;
}

function nameIn(line: string): string {
  return line.slice(0, line.indexOf("="));
}

function textAfter(line: string): string {
  return line.slice(line.indexOf("=") + 1);
}
