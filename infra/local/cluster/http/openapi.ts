import type { Registry, Resource } from "../api/resource.ts";
import { type Dict, isDict } from "../model/object.ts";
import { definitionOf, definitions, type RawSchema } from "../schema/types.ts";
import { openApiPath } from "./discovery.ts";

/** The OpenAPI v3 index, or the document of one group and version; undefined for anything else. */
export function openApi(path: string, registry: Registry): unknown {
  const documents = new Map<string, Resource[]>();
  for (const resource of registry.all()) {
    const key = openApiPath(resource);
    documents.set(key, [...(documents.get(key) ?? []), resource]);
  }
  if (path === "/openapi/v3") {
    const entries = [...documents.keys()].map((key) => [key, { serverRelativeURL: `/openapi/v3/${key}` }]);
    return { paths: Object.fromEntries(entries) };
  }
  if (!path.startsWith("/openapi/v3/")) return undefined;
  const resources = documents.get(path.slice("/openapi/v3/".length));
  return resources ? document(resources) : undefined;
}

function document(resources: Resource[]): Dict {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, unknown> = {};
  for (const resource of resources) {
    addSchemas(schemas, resource);
    const base = `/${openApiPath(resource)}/${resource.namespaced ? "namespaces/{namespace}/" : ""}${resource.plural}`;
    const action = (parameters: string[]) => ({
      parameters: parameters.map((name) => ({ name, in: "query", schema: { type: "string" } })),
      responses: { 200: { description: "OK" } },
      "x-kubernetes-group-version-kind": { group: resource.group, version: resource.version, kind: resource.kind },
    });
    const write = ["dryRun", "fieldManager", "fieldValidation"];
    paths[base] = { get: action([]), post: action(write) };
    paths[`${base}/{name}`] = {
      get: action([]),
      put: action(write),
      patch: action([...write, "force"]),
      delete: action(["dryRun"]),
    };
  }
  return { openapi: "3.0.0", info: { title: "Kubernetes", version: "sandbox" }, paths, components: { schemas } };
}

function addSchemas(schemas: Record<string, unknown>, resource: Resource): void {
  const name = definitionOf(resource.group, resource.version, resource.kind);
  if (name) {
    addDefinition(schemas, name);
    return;
  }
  schemas[`${resource.group}.${resource.version}.${resource.kind}`] = {
    type: "object",
    ...(isDict(resource.schema) ? resource.schema : {}),
    "x-kubernetes-group-version-kind": [{ group: resource.group, version: resource.version, kind: resource.kind }],
  };
}

function addDefinition(schemas: Record<string, unknown>, name: string): void {
  if (name in schemas) return;
  const definition = definitions.get(name);
  if (!definition) return;
  const used = new Set<string>();
  schemas[name] = null;
  schemas[name] = published(definition, used);
  for (const other of used) addDefinition(schemas, other);
}

/** The schema as OpenAPI v3 writes it: references are full, and those with a default are wrapped in allOf. */
function published(schema: RawSchema, used: Set<string>): Dict {
  const { $ref, properties, items, additionalProperties, proto: _, omitZero: __, ...rest } = schema;
  const result: Dict = { ...rest };
  if ($ref) {
    used.add($ref);
    result.allOf = [{ $ref: `#/components/schemas/${$ref}` }];
  }
  if (properties) {
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([key, value]) => [key, published(value, used)]),
    );
  }
  if (items) result.items = published(items, used);
  if (isDict(additionalProperties)) result.additionalProperties = published(additionalProperties, used);
  else if (additionalProperties !== undefined) result.additionalProperties = additionalProperties;
  return result;
}
