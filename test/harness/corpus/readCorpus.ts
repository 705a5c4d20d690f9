import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const folder = new URL("./manifests/", import.meta.url);

/** What stands for a namespace, and for an ending that makes names of the whole cluster distinct. */
export interface CorpusPlace {
  namespace: string;
  suffix: string;
}

/** The names of all manifests, sorted. */
export const corpusNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(".yaml"))
  .map((file) => basename(file, ".yaml"))
  .sort();

/** The text of a manifest for a place of its own. */
export function readCorpus(name: string, { namespace, suffix }: CorpusPlace): string {
  const text = readFileSync(new URL(`${name}.yaml`, folder), "utf8");
  return text.replaceAll("NAMESPACE", namespace).replaceAll("SUFFIX", suffix);
}
