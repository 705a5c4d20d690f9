import { escapePattern } from "./masker.ts";

/** Replaces a credential in arguments, which every reader of the Job can read. */
const credentialMark = /\0([A-Za-z_][A-Za-z0-9_]*)\0/g;

const maskVariable = (at: number): string => `SLIPWAY_CREDENTIAL_${at}`;

/** A mark that Kubernetes is asked to replace by the variable of that name. */
export function markOf(variable: string): string {
  return `\0${variable}\0`;
}

/** The text as a container's argument has it: nothing is expanded but the marks. */
export function literal(text: string): string {
  // Kubernetes replaces `$(NAME)` in commands and variables; `$$` is a dollar sign.
  return text.replaceAll("$", "$$$$").replace(credentialMark, "$($1)");
}

/** Variables that marks in these texts name. */
export function markedVariables(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => [...text.matchAll(credentialMark)].map(([, name = ""]) => name)));
}

/** Marks each of the job's masked texts inside texts of the user's; marks that the user made are none. */
export function markCredentials(masks: readonly string[]): (text: string) => string {
  const places = new Map(masks.map((mask, at) => [mask, at]).filter(([mask]) => mask !== "") as [string, number][]);
  // The longest first: one may be a part of another.
  const longest = [...places.keys()].sort((a, b) => b.length - a.length).map(escapePattern);
  const any = new RegExp(longest.join("|"), "g");
  return (text) => {
    const plain = text.replaceAll("\0", "");
    if (longest.length === 0) return plain;
    return plain.replace(any, (mask) => markOf(maskVariable(places.get(mask) ?? 0)));
  };
}

/** What the variables of `markCredentials` hold, by their names. */
export function maskVariables(masks: readonly string[]): Record<string, string> {
  return Object.fromEntries(masks.map((mask, at) => [maskVariable(at), mask]));
}
