import type { ServiceContainer } from "../../../manifest/containers.ts";
import { imageTag } from "../../../manifest/imageTag.ts";
import { moduleOutput } from "../../records/rules/outputPath.ts";

/** What later jobs can use of a deployed service: image and tag of each module (contract W 7). */
export function outputsOf(containers: readonly ServiceContainer[]): Record<string, string> {
  return Object.fromEntries(
    containers.flatMap(({ name, image }) => [
      [moduleOutput(name, "IMAGE"), image],
      [moduleOutput(name, "imageTag"), imageTag(image)],
    ]),
  );
}
