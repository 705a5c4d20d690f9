import { type StoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { joinDocuments } from "../../manifest/edit/documents.ts";
import { dumpYaml } from "../../manifest/parseYaml.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";

/** The text of a release: the definitions that its chart has in `crds/`, and the manifest as Helm has it. */
export function releaseText(definitions: readonly KubeObject[], manifest: string): Promise<StoredText> {
  const parts = [...definitions.map((definition) => dumpYaml(definition)), manifest];
  return storeText(joinDocuments(parts.filter((part) => part.trim() !== "")));
}
