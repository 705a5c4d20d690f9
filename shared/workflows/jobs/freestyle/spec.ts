import * as z from "zod";
import { flag, listOf, text } from "../../definition/wireFields.ts";
import { jobRepositories, repositoryInputs } from "../container/jobRepositories.ts";
import { jobVariables, variableInputs } from "../container/jobVariables.ts";
import { serviceModule } from "../container/services.ts";
import { jobSettings, settingsForm } from "../container/settings.ts";

const service = z.looseObject({ ...serviceModule, repos: jobRepositories, key_vals: jobVariables });
export type FreestyleService = z.output<typeof service>;

const packages = listOf(z.looseObject({ name: z.string("must be a text"), version: text }));
const environment = {
  infrastructure: text,
  build_os: text,
  image_id: text,
  installs: packages,
};

/** A step of the older form. */
const step = z.looseObject({
  step_type: text,
  type: text,
  spec: z
    .looseObject({ script: text, scripts: listOf(z.string()), repos: jobRepositories, installs: packages })
    .nullish(),
});

/** Spec of `freestyle` (contract W 5), with the older form of steps and properties. */
export const freestyleSpec = z.looseObject({
  freestyle_type: text,
  source: text,
  repos: jobRepositories,
  envs: jobVariables,
  script: text,
  script_type: text,
  services: listOf(service),
  default_services: listOf(service),
  runtime: z.looseObject(environment).nullish(),
  advanced_setting: jobSettings,
  advanced_settings: jobSettings,
  properties: z.looseObject({ ...settingsForm.shape, ...environment, envs: jobVariables }).nullish(),
  outputs: listOf(z.looseObject({ name: z.string("must be a text") })),
  steps: listOf(step),
  object_storage_upload: z
    .looseObject({
      enabled: flag,
      upload_detail: listOf(z.looseObject({ file_path: text, dest_path: text })),
    })
    .nullish(),
});
export type FreestyleSpec = z.output<typeof freestyleSpec>;

/** What a start call says (contract W 3). */
export const freestyleParameters = z.looseObject({
  kv: variableInputs,
  repo_info: repositoryInputs,
  services: listOf(z.looseObject({ ...serviceModule, repo_info: repositoryInputs, inputs: variableInputs })),
});

export function isPerService({ freestyle_type }: FreestyleSpec): boolean {
  return freestyle_type === "service_freestyle";
}
