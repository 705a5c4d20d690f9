import * as z from "zod";
import { listOf, text } from "../wireFields.ts";
import { repositories, selection, serviceModule, variables } from "./parts.ts";

const build = z.looseObject({
  ...serviceModule,
  build_name: text,
  image: text,
  key_vals: variables,
  repos: repositories,
});

/** Spec of `zadig-build`. */
export const zadigBuild = z.looseObject({
  ...selection,
  docker_registry_id: text,
  service_and_builds: listOf(build),
  default_service_and_builds: listOf(build),
  service_and_builds_options: listOf(build),
});
