import * as z from "zod";
import { plainText, treesOf } from "../../../manifest/tree.ts";
import { chosenImages, environmentNeeds, environmentOptions } from "../../definition/environmentOptions.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { selection } from "../../definition/specParts.ts";
import { filledText, flag, listOf, text } from "../../definition/wireFields.ts";

const variables = listOf(
  z.looseObject({ key: filledText, value: z.unknown(), use_global_variable: flag }, "must be a variable"),
);

/** Of a chart: a list, or its JSON, as some clients write it. */
export const overrides = z.preprocess(
  (sent) => (typeof sent === "string" ? listIn(sent) : sent),
  listOf(z.looseObject({ key: filledText, value: z.unknown() }, "must be a key with its value")),
);

function listIn(text: string): unknown {
  try {
    return text === "" ? [] : JSON.parse(text);
  } catch {
    return text;
  }
}

/** Of a chart: whether values are laid over those in force, or replace them. */
export const mergeStrategy = z.enum(["", "reuse-values", "override"], "must be reuse-values or override").nullish();

const services = listOf(
  z.looseObject({
    service_name: filledText,
    modules: listOf(z.looseObject({ service_module: filledText, image: text, image_name: text })),
    /** Whether the newest revision is taken where `config` is deployed; absent: yes. */
    update_config: flag,
    variable_kvs: variables,
    /** The older name of the same. */
    key_vals: variables,
    /** Of a chart: values for the environment. */
    variable_yaml: text,
    override_kvs: overrides,
    value_merge_strategy: mergeStrategy,
    source_git_repo: z.unknown().optional(),
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
export const kind = {
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
    skip_check_helm_workload_status: flag,
    value_merge_strategy: mergeStrategy,
    value_sync_strategy: z.enum(["", "manual", "auto"], "must be manual or auto").nullish(),
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
  previews: true,
} as const satisfies JobKind;
