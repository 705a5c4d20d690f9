import { firstVariable } from "../../../base/common/placeholders.ts";

/** Whether a text holds a variable that only a run can know. */
export function isLate(text: string): boolean {
  return firstVariable(text) !== undefined;
}

/** Says in words where a text will come from; undefined for one that is known. @param what it is, `the image of module main` */
export function lateSentence(what: string, text: string): string | undefined {
  const path = firstVariable(text);
  if (path === undefined) return undefined;
  const job = /^job\.([^.]+)\./.exec(path)?.[1];
  const from = job === undefined ? `{{.${path}}}` : `what job ${job} gives`;
  return `${what} is known only when the task runs: ${from}`;
}

/** The sentence for everything in a value that only a run can know. */
export function lateSentences(what: string, value: unknown): string[] {
  const texts = textsIn(value).flatMap((text) => lateSentence(what, text) ?? []);
  return [...new Set(texts)];
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
