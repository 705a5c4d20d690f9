import { SlipwayError } from "@slipway/client";

/** What is said of a line of a text; lines count from 1. */
export interface Mark {
  line: number;
  severity: "error" | "warning";
  message: string;
}

/** The lines that a refusal names in words, part by part of its description. */
export function marksOfRefusal(error: Error | null): Mark[] {
  if (!(error instanceof SlipwayError)) return [];
  return error.description.split("; ").flatMap((message): Mark[] => {
    const line = /\bline (\d+)\b/.exec(message)?.[1];
    return line === undefined ? [] : [{ line: Number(line), severity: "error", message }];
  });
}
