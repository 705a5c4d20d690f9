import * as z from "zod";
import { listOf, text, texts } from "../wireFields.ts";
import { advancedSettings, properties } from "./parts.ts";

const plugin = z
  .looseObject({
    name: text,
    image: text,
    version: text,
    args: texts,
    cmds: texts,
    envs: listOf(z.looseObject({ name: text, value: text })),
    inputs: listOf(z.looseObject({ name: text })),
    outputs: listOf(z.looseObject({ name: text })),
  })
  .nullish();

/** Spec of `plugin`. */
export const pluginSpec = z.looseObject({
  plugin,
  advanced_settings: advancedSettings,
  advanced_setting: advancedSettings,
  properties,
});
