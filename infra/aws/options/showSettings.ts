import { Annotations, type Stack } from "aws-cdk-lib";
import type { Settings } from "./settings.ts";

/** Lets `cdk synth` and `cdk deploy` print what the functions will read, and what of it is not chosen but a default. */
export function showSettings(stack: Stack, { given, effective }: Settings): void {
  const shown = { ...effective, SLIPWAY_CONSOLE_ADDRESS: effective.SLIPWAY_CONSOLE_ADDRESS || "<API address>/console" };
  const lines = Object.entries(shown)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `  ${name} = ${value}${name in given ? "" : "  (default)"}`);
  Annotations.of(stack).addInfoV2("slipway:settings", `settings of the functions:\n${lines.join("\n")}`);
}
