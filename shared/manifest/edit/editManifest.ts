import { type ManifestDocument, parseDocuments } from "../parseManifest.ts";
import { isObjectList, isRecord, type KubeObject } from "../schema/kubeObject.ts";
import { joinDocuments } from "./documents.ts";
import { editDocument } from "./editDocument.ts";

export type ObjectEdit = (object: KubeObject) => KubeObject;

/** A manifest's text with objects changed; an edit that returns the object it was given leaves its text as it is. */
export function editManifest(text: string, edit: ObjectEdit): string {
  return joinDocuments(parseDocuments(text).map((document) => editManifestDocument(document, edit)));
}

export function editManifestDocument(document: ManifestDocument, edit: ObjectEdit): string {
  return editDocument(document.source, document.value, edited(document.value, edit));
}

function edited(value: unknown, edit: ObjectEdit): unknown {
  if (isObjectList(value)) {
    const items = value.items.map((item) => edited(item, edit));
    return items.some((item, index) => item !== value.items[index]) ? { ...value, items } : value;
  }
  return isKubeObject(value) ? edit(value) : value;
}

/** Values here passed the check for objects before. */
function isKubeObject(value: unknown): value is KubeObject {
  return isRecord(value) && typeof value.kind === "string" && isRecord(value.metadata);
}
