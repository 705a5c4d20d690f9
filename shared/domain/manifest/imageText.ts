import { replaceImages } from "./containers.ts";
import { isObjectList, isRecord, type KubeObject } from "./kubeObject.ts";
import { ManifestError } from "./manifestError.ts";
import type { ManifestDocument } from "./parseManifest.ts";
import { dumpYaml, readYaml, yamlValue } from "./parseYaml.ts";
import { CONTAINER_LISTS, podSpecPath } from "./workloads.ts";
import type { ScalarNode, YamlNode } from "./yamlTree.ts";

interface Edit {
  start: number;
  end: number;
  text: string;
}

/**
 * A document's text with images set by container name. Only the images change and comments stay; where an image cannot
 * be found in the text, because it comes through an alias or a merge, the whole document is written anew.
 */
export function textWithImages(document: ManifestDocument, images: Readonly<Record<string, string>>): string {
  const { text, tree } = document.source;
  const wanted = valueWithImages(document.value, images);
  if (!tree || wanted === document.value) return text;
  const edits = imageEdits(tree, images).sort((a, b) => b.start - a.start);
  const edited = edits.reduce((all, edit) => all.slice(0, edit.start) + edit.text + all.slice(edit.end), text);
  return readsAs(edited, wanted) ? edited : dumpYaml(wanted);
}

function valueWithImages(value: unknown, images: Readonly<Record<string, string>>): unknown {
  if (isObjectList(value)) {
    const items = value.items.map((item) => valueWithImages(item, images));
    return items.some((item, index) => item !== value.items[index]) ? { ...value, items } : value;
  }
  return isKubeObject(value) ? replaceImages([value], images)[0] : value;
}

/** Values here passed the check for objects before. */
function isKubeObject(value: unknown): value is KubeObject {
  return isRecord(value) && typeof value.kind === "string" && isRecord(value.metadata);
}

function readsAs(text: string, wanted: unknown): boolean {
  try {
    return JSON.stringify(yamlValue(readYaml(text))) === JSON.stringify(wanted);
  } catch (error) {
    if (error instanceof ManifestError) return false;
    throw error;
  }
}

function imageEdits(node: YamlNode | undefined, images: Readonly<Record<string, string>>): Edit[] {
  const items = entry(node, "items");
  if (items?.kind === "list") return items.items.flatMap((item) => imageEdits(item, images));
  const path = podSpecPath(scalar(entry(node, "kind"))?.text) ?? [];
  const spec = path.reduce<YamlNode | undefined>(entry, node);
  return CONTAINER_LISTS.flatMap((list) => {
    const containers = entry(spec, list);
    if (containers?.kind !== "list") return [];
    return containers.items.flatMap((container) => {
      const name = scalar(entry(container, "name"))?.text ?? "";
      const image = scalar(entry(container, "image"));
      const text = Object.hasOwn(images, name) ? images[name] : undefined;
      if (!image || !text || image.text === text) return [];
      return [{ start: image.start, end: image.end, text: scalarText(text, image) }];
    });
  });
}

function entry(node: YamlNode | undefined, key: string): YamlNode | undefined {
  if (node?.kind !== "map") return undefined;
  return node.entries.find((pair) => scalar(pair.key)?.text === key)?.value;
}

function scalar(node: YamlNode | undefined): ScalarNode | undefined {
  return node?.kind === "scalar" ? node : undefined;
}

function scalarText(text: string, { isPlain }: ScalarNode): string {
  return isPlain && /^[A-Za-z][\w.-]*(?:[/:@][\w.-]+)+$/.test(text) ? text : JSON.stringify(text);
}
