import { moduleOutput } from "../records/rules/outputPath.ts";

/** What later jobs can use of images that a job brought: image and tag of each module (contract W 7). */
export function imageOutputs(modules: readonly { name: string; image: string }[]): Record<string, string> {
  return Object.fromEntries(
    modules.flatMap(({ name, image }) => [
      [moduleOutput(name, "IMAGE"), image],
      [moduleOutput(name, "imageTag"), imageTag(image)],
    ]),
  );
}

/** The tag of an image reference, empty when it names none: `reg.io:5000/ns/app:v1@sha256:…` gives `v1`. */
function imageTag(reference: string): string {
  const [untagged = ""] = reference.split("@");
  const [, tag = ""] = untagged.slice(untagged.lastIndexOf("/") + 1).split(":");
  return tag;
}
