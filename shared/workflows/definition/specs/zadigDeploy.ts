import * as z from "zod";
import { flag, listOf, text } from "../wireFields.ts";
import { selection, serviceModule } from "./parts.ts";

const service = z.looseObject({
  service_name: z.string("must be a text").min(1, "service_name cannot be empty"),
  modules: listOf(z.looseObject({ service_module: text, image: text, image_name: text })),
  variable_kvs: listOf(z.looseObject({ key: text }, "must be a variable")),
  variable_yaml: text,
  update_config: flag,
});

/** Spec of `zadig-deploy`. */
export const zadigDeploy = z.looseObject({
  ...selection,
  env: text,
  env_source: text,
  production: flag,
  deploy_type: z.enum(["", "k8s", "helm"], "must be k8s or helm").nullish(),
  deploy_contents: listOf(z.enum(["image", "vars", "config"], "must be image, vars or config")),
  services: listOf(service),
  service_and_images: listOf(z.looseObject({ ...serviceModule, image: text })),
  skip_check_run_status: flag,
  version_name: text,
});
