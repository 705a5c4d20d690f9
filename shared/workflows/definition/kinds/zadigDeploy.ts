import * as z from "zod";
import { chosenImages, environmentNeeds, environmentOptions } from "../environmentOptions.ts";
import type { JobKind } from "../jobKind.ts";
import { selection } from "../specParts.ts";
import { plainText, treesOf } from "../tree.ts";
import { filledText, flag, listOf, text } from "../wireFields.ts";

const variables = listOf(
  z.looseObject({ key: filledText, value: z.unknown(), use_global_variable: flag }, "must be a variable"),
);

const services = listOf(
  z.looseObject({
    service_name: filledText,
    modules: listOf(z.looseObject({ service_module: filledText, image: text, image_name: text })),
    /** Whether the newest revision is taken where `config` is deployed; absent: yes. */
    update_config: flag,
    variable_kvs: variables,
    /** The older name of the same. */
    key_vals: variables,
    variable_yaml: text,
    value_merge_strategy: text,
  }),
);
export type DeployService = z.output<typeof services>[number];

/** Two forms are in use: a value with its source, and whether the environment's global variable is taken. */
const variableConfig = z.looseObject({
  variable_key: filledText,
  source: text,
  value: z.unknown(),
  use_global_variable: flag,
});

/** Services are deployed with new images, variables or manifests. */
export const zadigDeploy = {
  type: "zadig-deploy",
  changesEnvironment: true,
  words: ["Deploy", "部署"],
  schema: z.looseObject({
    ...selection,
    env: text,
    env_source: text,
    production: flag,
    deploy_type: z.enum(["", "k8s", "helm"], "must be k8s or helm").nullish(),
    deploy_contents: listOf(z.enum(["image", "vars", "config"], "must be image, vars or config")),
    services,
    /** A service with one module and its image: the older form of `services`. */
    service_and_images: listOf(z.looseObject({ service_name: filledText, service_module: filledText, image: text })),
    service_variable_config: listOf(
      z.looseObject({ service_name: filledText, variable_configs: listOf(variableConfig) }),
    ),
    skip_check_run_status: flag,
    value_merge_strategy: text,
    version_name: text,
  }),
  needs: environmentNeeds,
  options: (spec, { environments }) => ({
    ...spec,
    env_options: environmentOptions(spec, environments),
    service_and_images: chosenImages(spec, environments),
  }),
  notice: (spec) => {
    const modules = treesOf(spec.service_and_images);
    return {
      kind: "deploy",
      environment: plainText(spec.env),
      serviceName: plainText(spec.service_name) || plainText(modules[0]?.service_name),
      serviceModules: modules.map(({ service_module, image }) => ({
        ...{ serviceModule: plainText(service_module), image: plainText(image) },
      })),
    };
  },
  givesImages: true,
} as const satisfies JobKind;
