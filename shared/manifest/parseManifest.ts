import { documentWarnings, type FoundObject } from "./documentWarnings.ts";
import { findDocuments } from "./edit/documents.ts";
import { HELM_LIMITS, type ManifestLimits } from "./limits.ts";
import { ManifestError } from "./manifestError.ts";
import type { ManifestWarning } from "./manifestWarning.ts";
import { readYaml, type YamlSource, yamlError, yamlValue } from "./parseYaml.ts";
import { checkObject, isObjectList, type KubeObject } from "./schema/kubeObject.ts";
import { spelled, tidyObject } from "./tidyObject.ts";

export { ManifestError } from "./manifestError.ts";
export type { KubeObject } from "./schema/kubeObject.ts";

/** A document of a manifest and the objects in it; a list gives its items. */
export interface ManifestDocument {
  source: YamlSource;
  /** The UTF-16 offset of the document in the manifest. */
  start: number;
  value: unknown;
  objects: KubeObject[];
  /** What was taken although it is not in order. */
  warnings: ManifestWarning[];
}

/**
 * Reads Kubernetes objects from manifest text: documents parted by `---`, lists flattened. Scalars are read as kubectl
 * reads them; of a key given twice, or an entry of a list under a key of its own, the last one counts, and fields that
 * Kubernetes does not declare are left out. Throws a ManifestError that tells the document, the line and what would be
 * right: wrong YAML, tabs, objects without apiVersion, kind or metadata.name, generateName, and more than the limits
 * allow. Without limits it is for texts that were checked when they came, and for what Helm rendered; what people send is
 * read with RENDERED_LIMITS.
 */
export function parseManifest(text: string, limits: Partial<ManifestLimits> = {}): KubeObject[] {
  return parseDocuments(text, limits).flatMap(({ objects }) => objects);
}

/** As `parseManifest`, with the documents; `inspect` sees the structure of each before its value is made. */
export function parseDocuments(
  text: string,
  limits: Partial<ManifestLimits> = {},
  inspect: (source: YamlSource, start: number) => void = () => {},
): ManifestDocument[] {
  const bounds = { ...HELM_LIMITS, ...limits };
  const bytes = Buffer.byteLength(text);
  if (bytes > bounds.maxBytes) {
    throw new ManifestError("limit", `the text has ${bytes} bytes; at most ${bounds.maxBytes} are allowed`);
  }
  const found = findDocuments(text);
  if (found.length > bounds.maxDocuments) {
    throw new ManifestError(
      "limit",
      `the text has ${found.length} documents; at most ${bounds.maxDocuments} are allowed`,
    );
  }
  const documents = found.flatMap((document, index) => {
    const source = readYaml(document.text, { document: index + 1, line: document.line }, bounds);
    inspect(source, document.start);
    const value = yamlValue(source, { lastKeyWins: true });
    // A document that is only `null` holds nothing, as for kubectl.
    if (value === null || value === undefined) return [];
    const objects = objectsOf(value, source);
    const warnings = documentWarnings(source, objects);
    return [{ source, start: document.start, value, objects: objects.map(({ object }) => object), warnings }];
  });
  const count = documents.reduce((sum, { objects }) => sum + objects.length, 0);
  if (count > bounds.maxObjects) {
    throw new ManifestError("limit", `the text has ${count} objects; at most ${bounds.maxObjects} are allowed`);
  }
  return documents;
}

function objectsOf(value: unknown, source: YamlSource): FoundObject[] {
  const objects: FoundObject[] = [];
  function visit(candidate: unknown, path: readonly (string | number)[]): void {
    if (isObjectList(candidate)) {
      candidate.items.forEach((item, index) => {
        visit(item, [...path, "items", index]);
      });
      return;
    }
    const checked = checkObject(candidate);
    if (typeof checked === "string") {
      const problem = path.length === 0 ? checked : `${spelled(path)}: ${checked}`;
      throw yamlError(source, source.tree?.start ?? 0, "object", problem);
    }
    objects.push({ ...tidyObject(checked), path });
  }
  visit(value, []);
  return objects;
}
