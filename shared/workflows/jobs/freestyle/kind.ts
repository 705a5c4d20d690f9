import * as z from "zod";
import { listsOf } from "../../../manifest/tree.ts";
import { buildNotice } from "../../definition/buildNotice.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import {
  jobSettings,
  outputNames,
  packages,
  properties,
  repositories,
  selection,
  serviceModule,
  variables,
} from "../../definition/specParts.ts";
import { flag, listOf, text } from "../../definition/wireFields.ts";

const services = listOf(z.looseObject({ ...serviceModule, repos: repositories, key_vals: variables }));

const runtime = z
  .looseObject({
    infrastructure: z.enum(["", "kubernetes", "vm"], "must be kubernetes or vm").nullish(),
    build_os: text,
    image_id: text,
    installs: packages,
  })
  .nullish();

/** A step of the older form. */
const step = z.looseObject({
  step_type: text,
  type: text,
  spec: z.looseObject({ script: text, scripts: listOf(z.string()), repos: repositories, installs: packages }).nullish(),
});

/** A script of the workflow, once or for each service module; the older form has steps and properties. */
export const kind = {
  type: "freestyle",
  words: ["Freestyle", "通用任务"],
  schema: z.looseObject({
    ...selection,
    freestyle_type: z.enum(["", "normal", "service_freestyle"], "must be empty or service_freestyle").nullish(),
    repos: repositories,
    envs: variables,
    script: text,
    script_type: z.enum(["", "shell", "batch_file", "powershell"], "must be shell, batch_file or powershell").nullish(),
    services,
    default_services: services,
    runtime,
    advanced_settings: jobSettings,
    advanced_setting: jobSettings,
    properties,
    outputs: outputNames,
    steps: listOf(step),
    object_storage_upload: z
      .looseObject({
        enabled: flag,
        upload_detail: listOf(z.looseObject({ file_path: text, dest_path: text })),
      })
      .nullish(),
  }),
  options: (spec) =>
    spec.freestyle_type === "service_freestyle"
      ? { ...spec, ...listsOf(spec, ["services", "default_services"]) }
      : spec,
  notice: buildNotice,
} as const satisfies JobKind;
