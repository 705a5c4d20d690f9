/** The tag of an image reference, empty when it names none: `reg.io:5000/ns/app:v1@sha256:…` gives `v1`. */
export function imageTag(reference: string): string {
  const [untagged = ""] = reference.split("@");
  const [, tag = ""] = untagged.slice(untagged.lastIndexOf("/") + 1).split(":");
  return tag;
}
