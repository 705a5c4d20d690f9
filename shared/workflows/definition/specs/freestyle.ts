import * as z from "zod";
import { listOf, text } from "../wireFields.ts";
import { advancedSettings, properties, repositories, selection, serviceModule, variables } from "./parts.ts";

const runtime = z
  .looseObject({
    infrastructure: z.enum(["", "kubernetes", "vm"], "must be kubernetes or vm").nullish(),
    build_os: text,
    image_id: text,
    installs: listOf(z.looseObject({ name: text, version: text })),
  })
  .nullish();

/** Spec of `freestyle`. */
export const freestyle = z.looseObject({
  ...selection,
  freestyle_type: z.enum(["", "normal", "service_freestyle"], "must be empty or service_freestyle").nullish(),
  repos: repositories,
  envs: variables,
  script: text,
  script_type: z.enum(["", "shell", "batch_file", "powershell"], "must be shell, batch_file or powershell").nullish(),
  services: listOf(z.looseObject({ ...serviceModule, repos: repositories, key_vals: variables })),
  runtime,
  advanced_settings: advancedSettings,
  advanced_setting: advancedSettings,
  properties,
});
