import { replaceImages } from "./containers.ts";
import { editManifestDocument } from "./editManifest.ts";
import type { ManifestDocument } from "./parseManifest.ts";

/** A document's text with images set by container name (contract P 11.7); see `editDocument` for what else stays. */
export function textWithImages(document: ManifestDocument, images: Readonly<Record<string, string>>): string {
  return editManifestDocument(document, (object) => replaceImages([object], images)[0] ?? object);
}
