import * as z from "zod";
import { listOf, text } from "../../definition/wireFields.ts";
import { jobRepositories, repositoryInputs } from "../container/jobRepositories.ts";
import { jobVariables, variableInputs } from "../container/jobVariables.ts";
import { serviceModule } from "../container/services.ts";
import { shareStorageInfo } from "../container/settings.ts";

const item = z.looseObject({
  ...serviceModule,
  build_name: text,
  image_name: text,
  key_vals: jobVariables,
  repos: jobRepositories,
  share_storage_info: shareStorageInfo,
});
export type BuildItem = z.output<typeof item>;

/** Spec of `zadig-build` (contract W 5). */
export const buildSpec = z.looseObject({
  source: text,
  docker_registry_id: text,
  service_and_builds: listOf(item),
  default_service_and_builds: listOf(item),
  service_and_builds_options: listOf(item),
});
export type BuildSpec = z.output<typeof buildSpec>;

/** What a start call says (contract W 3). `build_name` chooses among the builds of a module; absent: the first. */
const chosen = z.looseObject({
  ...serviceModule,
  build_name: text,
  repo_info: repositoryInputs,
  inputs: variableInputs,
});

export const buildParameters = z.looseObject({ registry: text, service_list: listOf(chosen) });
