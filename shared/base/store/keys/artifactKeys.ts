import { createHash } from "node:crypto";
import { type Key, padded } from "./keys.ts";

/** Keys of artifacts, and of those who have an image. */
export const artifactKeys = {
  /**
   * Who has an image, by the text that names it: a reference as it is written, or a digest. What was built of it, services
   * that run it and versions that promise it share the partition.
   */
  imageOfArtifact: (image: string, time: number, artifactId: string): Key => ({
    pk: imageUses(image),
    sk: `artifact#${padded(time)}#${artifactId}`,
  }),
  /** An image that was built, or a file that was kept. */
  artifact: (artifactId: string): Key => ({ pk: `artifact#${artifactId}`, sk: "artifact" }),
  /** An artifact by something that it is searched by, oldest first. */
  artifactBy: (facet: "tag" | "branch" | "repository" | "commit", value: string, place: string): Key => ({
    pk: artifactsBy(facet, value),
    sk: place,
  }),
  imageOfEnvironment: (image: string, environmentId: string, service: string): Key => ({
    pk: imageUses(image),
    sk: `environment#${environmentId}#${service}`,
  }),
  /** The version has an image of this digest, or runs it under this reference. */
  imageInVersion: (image: string, versionId: string): Key => ({ pk: imageUses(image), sk: `version#${versionId}` }),
} as const;

/** The partition of artifacts that share what they are searched by. */
export function artifactsBy(facet: "tag" | "branch" | "repository" | "commit", value: string): string {
  return `artifacts-by-${facet}#${value.slice(0, 400)}`;
}

/** The partition of those who have an image. An image may be any text of a manifest: a long one goes in by its digest. */
export function imageUses(image: string): string {
  const isShort = Buffer.byteLength(image) <= 1024;
  return `image-use#${isShort ? image : createHash("sha256").update(image).digest("hex")}`;
}
