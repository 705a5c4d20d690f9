import { containersOf, extractContainers, replaceImages, type ServiceContainer } from "./containers.ts";
import { RenderError, renderService } from "./renderService.ts";
import type { KubeObject } from "./schema/kubeObject.ts";
import { extractVariables } from "./template/extractVariables.ts";
import { mergeExtracted, type ServiceVariable } from "./variables/serviceVariable.ts";
import { at } from "./workloads.ts";

/** Placeholder for a variable without value, so that the YAML around it can be read. */
const UNSET = /slipway-unset-([0-9]+)-value/g;
const USABLE_IMAGE = /^[A-Za-z0-9][\w./:@-]*[A-Za-z0-9]$/;

/**
 * The containers of a service as it is saved (contract P 13): rendered leniently with the variables' values; an image
 * that is unusable because its variables have no value keeps its raw text, `{{.registry}}/app:{{.tag}}` (P 13.9).
 * YAML that makes no manifest only because variables have no value yet passes. Throws a RenderError.
 */
export function serviceContainers(yaml: string, variables: readonly ServiceVariable[]): ServiceContainer[] {
  const rendered = attempt(() => renderService({ yaml, variables, strict: false }).objects);
  if (!(rendered instanceof RenderError) && imagesOf(rendered).every((image) => USABLE_IMAGE.test(image))) {
    return extractContainers(rendered);
  }
  if (rendered instanceof RenderError && rendered.reason !== "manifest") throw rendered;
  const raw = attempt(() => rawContainers(yaml, variables));
  if (rendered instanceof RenderError) {
    if (raw instanceof RenderError) throw rendered;
    return raw;
  }
  if (raw instanceof RenderError) return extractContainers(rendered);
  const usable = new Map(extractContainers(rendered).map(({ name, image }) => [name, image]));
  const kept = raw.filter(({ name }) => !USABLE_IMAGE.test(usable.get(name) ?? ""));
  return extractContainers(replaceImages(rendered, Object.fromEntries(kept.map(({ name, image }) => [name, image]))));
}

function attempt<T>(work: () => T): T | RenderError {
  try {
    return work();
  } catch (error) {
    if (error instanceof RenderError) return error;
    throw error;
  }
}

/** Every image of the workloads, `""` where one is missing. */
function imagesOf(objects: readonly KubeObject[]): string[] {
  return objects.flatMap(containersOf).map((container) => {
    const image = at(container, ["image"]);
    return typeof image === "string" ? image : "";
  });
}

function rawContainers(yaml: string, variables: readonly ServiceVariable[]): ServiceContainer[] {
  const all = mergeExtracted(variables, extractVariables(yaml));
  const masked = all.map((variable, index): ServiceVariable => {
    const isUnset = variable.type !== "yaml" && variable.type !== "bool" && (variable.value ?? "") === "";
    return isUnset ? { ...variable, type: "string", value: `slipway-unset-${index}-value` } : variable;
  });
  const unmask = (text: string): string => text.replace(UNSET, (_, index) => `{{.${all[Number(index)]?.key}}}`);
  return extractContainers(renderService({ yaml, variables: masked, strict: false }).objects).map((container) => ({
    ...container,
    name: unmask(container.name),
    image: unmask(container.image),
    imageName: unmask(container.imageName),
  }));
}
