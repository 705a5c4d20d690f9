import { readStoredText } from "../base/aws/objects/objectStore.ts";
import { maskedTemplate } from "../kube/live/maskedTemplate.ts";
import type { VersionService } from "./rules/version.ts";

/**
 * The manifest of a service in a version, or the values of its chart. A version is shown and compared, never applied,
 * so no value of a Secret in it is shown, whichever user sent it (decisions 17.5).
 */
export async function shownYaml({ yaml, chart }: Pick<VersionService, "yaml" | "chart">): Promise<string> {
  const text = await readStoredText(yaml);
  return chart === undefined ? maskedTemplate(text) : text;
}
