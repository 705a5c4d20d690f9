import { joinDocuments } from "../../manifest/edit/documents.ts";
import { parseDocuments, parseManifest } from "../../manifest/parseManifest.ts";
import { dumpYaml } from "../../manifest/parseYaml.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { objectKey } from "../objectKey.ts";
import { isSecret, maskedObject, maskedPair } from "./secretValues.ts";

/**
 * A manifest without the values of its Secrets. A document that holds a Secret is written from scratch, so that no
 * comment and no anchor in it reveals a value.
 * @throws ManifestError for a text that holds no objects that can be read
 */
export function maskedManifest(text: string): string {
  return withSecrets(text, maskedObject);
}

/** Two states of a manifest without the values of their Secrets; those that differ are marked. @throws ManifestError */
export function maskedManifests(before: string, after: string): { before: string; after: string } {
  const [left, right] = [byKey(before), byKey(after)];
  const mask = (text: string, side: "before" | "after") =>
    withSecrets(text, (object) => {
      const key = keyOf(object);
      return maskedPair(left.get(key), right.get(key))[side] ?? maskedObject(object);
    });
  return { before: mask(before, "before"), after: mask(after, "after") };
}

function withSecrets(text: string, shown: (object: KubeObject) => KubeObject): string {
  const documents = parseDocuments(text).flatMap(({ source, objects }) =>
    objects.some(isSecret) ? objects.map((object) => dumpYaml(shown(object))) : [source.text],
  );
  return joinDocuments(documents);
}

function byKey(text: string): Map<string, KubeObject> {
  return new Map(parseManifest(text).map((object) => [keyOf(object), object]));
}

function keyOf({ apiVersion, kind, metadata }: KubeObject): string {
  return objectKey({ apiVersion, kind, name: metadata.name });
}
