import { joinDocuments } from "../manifest/documents.ts";
import { parseDocuments } from "../manifest/parseManifest.ts";
import { dumpYaml } from "../manifest/parseYaml.ts";
import { isSecret, maskedPair } from "./secretValues.ts";

/**
 * A manifest without the values of its Secrets. A document with one is written anew, so that neither a comment nor an
 * anchor of it tells a value.
 */
export function maskedManifest(text: string): string {
  const documents = parseDocuments(text).flatMap(({ source, objects }) =>
    objects.some(isSecret)
      ? objects.map((object) => dumpYaml(maskedPair(undefined, object).after ?? object))
      : [source.text],
  );
  return joinDocuments(documents);
}
