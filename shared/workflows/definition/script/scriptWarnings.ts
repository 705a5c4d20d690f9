import { refusalOf } from "../refusal.ts";
import type { DefinitionWarning } from "../warnings.ts";
import type { ScriptJobInput } from "./scriptJob.ts";

/**
 * What of a build, a test or a scan is taken although it may not do what its author means (decisions 19.9).
 * @param field of the script, as callers know it
 */
export function scriptWarnings(
  { infrastructure, scriptType, script }: Pick<ScriptJobInput, "infrastructure" | "scriptType" | "script">,
  field: string,
): DefinitionWarning[] {
  const refusal = refusalOf({ infrastructure, scriptType });
  const place = infrastructure === "vm" ? "infrastructure" : "script_type";
  const lines = script.split("\r\n", 1)[0]?.split("\n").length;
  return [
    ...(refusal === ""
      ? []
      : [
          {
            code: "job_kind_not_run" as const,
            message: `${place}: each of its tasks fails: ${refusal}`,
            line: 0 as const,
          },
        ]),
    ...(script.includes("\r\n")
      ? [
          {
            code: "carriage_returns" as const,
            message: `${field}, line ${lines}: lines end with CR LF; the script runs with LF alone`,
            line: 0 as const,
          },
        ]
      : []),
  ];
}
