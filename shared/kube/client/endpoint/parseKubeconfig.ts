import { load } from "js-yaml";
import { pathText, readValue } from "../../../base/common/readValue.ts";
import { type Kubeconfig, kubeconfigSchema, partialKubeconfigSchema } from "./kubeconfigSchema.ts";

/** One thing that is wrong with a kubeconfig: where, what, and what would be right. Never quotes a credential. */
export interface KubeconfigProblem {
  /** Path of the field, e.g. `users[0].user.exec`; empty for the text as a whole. */
  path: string;
  wrong: string;
  right: string;
}

export const maxKubeconfigBytes = 256 * 1024;

/**
 * Reads the text of a kubeconfig without looking at what its fields may hold.
 * @param partial one of several files that are merged: it need not hold a whole configuration
 */
export function parseKubeconfig(
  text: string,
  { partial = false }: { partial?: boolean } = {},
): { config: Kubeconfig } | { problems: KubeconfigProblem[] } {
  const size = Buffer.byteLength(text);
  if (size > maxKubeconfigBytes)
    return problem(
      "",
      `is ${size} bytes long`,
      `send at most ${maxKubeconfigBytes} bytes, with the one context needed`,
    );
  const right = "send the text of a kubeconfig file, as `kubectl config view --raw --minify --flatten` prints it";
  let loaded: unknown;
  try {
    loaded = load(text, { maxAliases: 0 });
  } catch {
    // The parser's message quotes the text, which holds credentials.
    return problem("", "is not readable as one YAML document without aliases", right);
  }
  const read = readValue(partial ? partialKubeconfigSchema : kubeconfigSchema, loaded);
  if (read.refused === undefined) return { config: read.data };
  return { problems: read.refused.map(({ path, message }) => ({ path: pathText(path), wrong: message, right })) };
}

function problem(path: string, wrong: string, right: string): { problems: KubeconfigProblem[] } {
  return { problems: [{ path, wrong, right }] };
}
