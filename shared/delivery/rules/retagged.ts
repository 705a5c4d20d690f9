import { replaceImages } from "../../manifest/containers.ts";
import { joinDocuments } from "../../manifest/edit/documents.ts";
import { editManifestDocument } from "../../manifest/edit/editManifest.ts";
import { parseDocuments } from "../../manifest/parseManifest.ts";
import type { VersionImage } from "./version.ts";

type Renamed = Pick<VersionImage, "container" | "sourceImage" | "targetImage">;

/**
 * The manifest of a service with the images of its version (contract D 1.9): of containers and init containers by their
 * names, then wherever else a source image is written.
 * @throws ManifestError
 */
export function retagged(yaml: string, images: readonly Renamed[]): string {
  const byContainer = Object.fromEntries(images.map(({ container, targetImage }) => [container, targetImage]));
  const documents = parseDocuments(yaml).map((document) =>
    editManifestDocument(document, (object) => replaceImages([object], byContainer)[0] ?? object),
  );
  return images
    .filter(({ sourceImage, targetImage }) => sourceImage !== "" && targetImage !== "" && sourceImage !== targetImage)
    .reduce(
      (text, { sourceImage, targetImage }) => text.replaceAll(sourceImage, () => targetImage),
      joinDocuments(documents),
    );
}
