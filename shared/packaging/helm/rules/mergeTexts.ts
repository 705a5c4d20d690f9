import { dumpYaml } from "../../../manifest/parseYaml.ts";
import { mergeValues } from "./mergeValues.ts";
import { readValues } from "./readValues.ts";

/** Values as texts, one over the other; as they were written where there is nothing to merge. @throws ManifestError */
export function mergeTexts(below: string, above: string): string {
  if (below.trim() === "" || above.trim() === "") return above.trim() === "" ? below : above;
  return dumpYaml(mergeValues(readValues(below), readValues(above)));
}
