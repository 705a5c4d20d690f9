import { type ObjectPreview, objectPreview } from "../../kube/preview/objectPreview.ts";
import { ManifestError } from "../../manifest/manifestError.ts";
import { RenderError, renderService } from "../../manifest/renderService.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { TemplateError } from "../../manifest/template/templateError.ts";
import type { ServiceContent } from "./prepareService.ts";

type Rendered = Pick<ServiceContent, "yaml" | "variables">;

/**
 * What another definition of a service would deploy, compared with the one before. No cluster takes part: a definition
 * is in none until an environment is moved to it, and that change has a preview of its own.
 */
export function previewDefinition(
  serviceName: string,
  before: Rendered | undefined,
  after: Rendered | undefined,
): ObjectPreview[] {
  const [old, next] = [objectsOf(before), objectsOf(after)];
  const keys = new Set([...old.keys(), ...next.keys()]);
  return [...keys].map((key) => objectPreview(serviceName, old.get(key), next.get(key)));
}

export interface ContentPreview extends Pick<ServiceContent, "warnings"> {
  objects: ObjectPreview[];
}

/** As `previewDefinition`, with what is not in order of the text to come. */
export function previewContent(name: string, before: Rendered | undefined, after: ServiceContent): ContentPreview {
  return { objects: previewDefinition(name, before, after), warnings: after.warnings };
}

/** By kind and name. A text that lacks values cannot be rendered, and so has no objects to show yet. */
function objectsOf(definition: Rendered | undefined): Map<string, KubeObject> {
  if (definition === undefined) return new Map();
  try {
    const { objects } = renderService({ ...definition, strict: false });
    return new Map(objects.map((object) => [`${object.apiVersion}/${object.kind}/${object.metadata.name}`, object]));
  } catch (error) {
    if (error instanceof RenderError || error instanceof TemplateError || error instanceof ManifestError)
      return new Map();
    throw error;
  }
}
