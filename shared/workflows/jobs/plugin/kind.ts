import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { jobSettings, outputNames, properties } from "../../definition/specParts.ts";
import { flag, listOf, requiredText, scalar, text, texts } from "../../definition/wireFields.ts";

const input = z.looseObject({
  name: requiredText,
  value: scalar.nullish(),
  type: text,
  choice_value: texts,
  is_credential: flag,
});

/** The image of a plugin with its inputs. */
export const kind = {
  type: "plugin",
  words: ["Plugin", "插件"],
  schema: z.looseObject({
    plugin: z
      .looseObject({
        name: text,
        image: text,
        version: text,
        args: texts,
        cmds: texts,
        envs: listOf(z.looseObject({ name: requiredText, value: text })),
        inputs: listOf(input),
        outputs: outputNames,
      })
      .nullish(),
    advanced_settings: jobSettings,
    advanced_setting: jobSettings,
    properties,
  }),
} as const satisfies JobKind;
