import { type Tree, treesOf } from "../../manifest/tree.ts";
import { longestName } from "./definitionOptions.ts";
import type { OptionNeeds } from "./jobOptions.ts";

/** An environment that a job may deploy to. */
export interface EnvironmentOption {
  envKey: string;
  alias: string;
  production: boolean;
  registryId: string;
  /** Present when they were looked up: the services in the environment, with the images in force. */
  services?: readonly { name: string; modules: readonly { name: string; image: string; imageName: string }[] }[];
}

/** What is looked up for a job that chooses an environment. */
export function environmentNeeds(spec: Tree): Partial<OptionNeeds> {
  const key = environmentIn(spec);
  return { environments: true, servicesOf: key === "" ? [] : [key] };
}

/** The environment that the spec of a job names; empty: none, or one that is known when a task starts. */
function environmentIn({ env }: Tree): string {
  return typeof env === "string" && env.length <= longestName && !env.includes("{{") ? env : "";
}

/** What is stored, then every other environment of the job's kind. */
export function environmentOptions(spec: Tree, environments: readonly EnvironmentOption[]): Tree[] {
  const stored = treesOf(spec.env_options);
  const others = ofKind(spec, environments).filter(({ envKey }) => stored.every(({ env }) => env !== envKey));
  return [...stored, ...others.map(shown)];
}

/** Modules of the chosen services, where the definition does not list them itself. */
export function chosenImages(spec: Tree, environments: readonly EnvironmentOption[]): Tree[] {
  const stored = treesOf(spec.service_and_images);
  if (stored.length > 0) return stored;
  const environment = ofKind(spec, environments).find(({ envKey }) => envKey === environmentIn(spec));
  return treesOf(spec.services).flatMap(({ service_name, modules }) => {
    const listed = treesOf(modules);
    const standing = environment?.services?.find(({ name }) => name === service_name)?.modules ?? [];
    return (listed.length > 0 ? listed : standing.map(shownModule)).map(({ service_module, image, image_name }) => ({
      ...{ service_name, service_module: service_module ?? "" },
      ...{ image: image ?? "", image_name: image_name ?? "" },
    }));
  });
}

function ofKind({ production }: Tree, environments: readonly EnvironmentOption[]): EnvironmentOption[] {
  return environments.filter((one) => one.production === (production === true));
}

function shown({ envKey, alias, production, registryId, services }: EnvironmentOption): Tree {
  return {
    ...{ env: envKey, env_alias: alias, production, registry_id: registryId },
    ...(services && {
      services: services.map(({ name, modules }) => ({ service_name: name, modules: modules.map(shownModule) })),
    }),
  };
}

function shownModule({ name, image, imageName }: { name: string; image: string; imageName: string }): Tree {
  return { service_module: name, image, image_name: imageName };
}
