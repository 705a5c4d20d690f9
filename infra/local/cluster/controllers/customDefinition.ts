import type { Resource } from "../api/resource.ts";
import { at, type Dict, dictAt, dictsAt, isDict, type KubeObject, textAt } from "../model/object.ts";
import type { Condition } from "../model/workloads.ts";
import { compile, namedType, type RawSchema, type Struct } from "../schema/types.ts";
import { type Cluster, type Controller, keyOf } from "./controller.ts";
import { setCondition } from "./podsOf.ts";

const definitions = "customresourcedefinitions.apiextensions.k8s.io";
const finalizer = "customresourcecleanup.apiextensions.k8s.io";
const metadataType = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** Serves the kinds of each definition and says so in its conditions; a deleted definition takes its objects along. */
export function customDefinitionController(cluster: Cluster): Controller {
  // Known kinds are served before the first request comes, not when the loop gets to them.
  for (const definition of cluster.list(definitions)) serve(cluster, definition);
  return {
    name: "customdefinition",
    watches: {
      [definitions]: (definition) => [keyOf(definition)],
      "*": (object) => {
        const served = object.metadata.deletionTimestamp
          ? cluster.api.registry.byKind(object.apiVersion, object.kind)
          : undefined;
        return served?.custom ? [`/${served.custom}`] : [];
      },
    },
    reconcile(_, name) {
      const definition = cluster.get(definitions, "", name);
      if (!definition) cluster.api.registry.serve(name, []);
      else if (definition.metadata.deletionTimestamp) return retire(cluster, definition);
      else establish(cluster, definition);
      return undefined;
    },
  };
}

function establish(cluster: Cluster, definition: KubeObject): void {
  serve(cluster, definition);
  const finalizers = definition.metadata.finalizers ?? [];
  const held = finalizers.includes(finalizer)
    ? definition
    : cluster.write(definitions, {
        ...definition,
        metadata: { ...definition.metadata, finalizers: [...finalizers, finalizer] },
      });
  const versions = dictsAt(definition, "spec", "versions");
  const named = setCondition(dictAt(definition, "status").conditions as Condition[] | undefined, {
    type: "NamesAccepted",
    status: "True",
    reason: "NoConflicts",
    message: "no conflicts found",
  });
  cluster.writeStatus(definitions, held, {
    conditions: setCondition(named, {
      type: "Established",
      status: "True",
      reason: "InitialNamesAccepted",
      message: "the initial names have been accepted",
    }),
    acceptedNames: at(definition, "spec", "names"),
    storedVersions: versions.filter((version) => version.storage === true).map((version) => version.name),
  });
}

function retire(cluster: Cluster, definition: KubeObject): number | undefined {
  const key = definition.metadata.name;
  for (const object of cluster.list(key)) if (!object.metadata.deletionTimestamp) cluster.delete(key, object);
  if (cluster.list(key).length > 0) return 200;
  cluster.api.registry.serve(key, []);
  const { finalizers = [], ...metadata } = definition.metadata;
  const rest = finalizers.filter((name) => name !== finalizer);
  cluster.write(definitions, {
    ...definition,
    metadata: rest.length > 0 ? { ...metadata, finalizers: rest } : metadata,
  });
  return undefined;
}

function serve(cluster: Cluster, definition: KubeObject): void {
  const versions = dictsAt(definition, "spec", "versions").filter((version) => version.served === true);
  cluster.api.registry.serve(
    definition.metadata.name,
    versions.map((version) => resourceOf(definition, version)),
  );
}

function resourceOf(definition: KubeObject, version: Dict): Resource {
  const spec = dictAt(definition, "spec");
  const names = dictAt(spec, "names");
  const raw = at(version, "schema", "openAPIV3Schema");
  const schema: RawSchema = isDict(raw) ? (raw as RawSchema) : {};
  const list = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  return {
    group: textAt(spec, "group"),
    version: textAt(version, "name"),
    kind: textAt(names, "kind"),
    plural: textAt(names, "plural"),
    singular: textAt(names, "singular") || textAt(names, "kind").toLowerCase(),
    shortNames: list(names.shortNames),
    categories: list(names.categories),
    namespaced: textAt(spec, "scope") === "Namespaced",
    status: at(version, "subresources", "status") !== undefined,
    scale: false,
    type: customType(schema, textAt(names, "kind")),
    key: definition.metadata.name,
    custom: definition.metadata.name,
    schema,
    columns: dictsAt(version, "additionalPrinterColumns")
      .filter((column) => textAt(column, "jsonPath").startsWith(".") && Number(column.priority ?? 0) === 0)
      .filter((column) => textAt(column, "jsonPath") !== ".metadata.creationTimestamp")
      .map((column) => ({ name: textAt(column, "name"), path: textAt(column, "jsonPath") })),
  };
}

/** The definition's schema with the fields every object has. */
function customType(schema: RawSchema, kind: string): Struct {
  const compiled = compile({ type: "object", properties: {}, ...schema }, kind, true);
  const fields = compiled.kind === "struct" ? new Map(compiled.fields) : new Map();
  const open = compiled.kind !== "struct" || compiled.open;
  const common = {
    required: false,
    zero: undefined,
    strategies: [],
    schema: {},
    custom: true,
    omitZero: false,
    proto: [],
  };
  const text = { kind: "scalar", format: "string" } as const;
  fields.set("apiVersion", { name: "apiVersion", type: text, ...common });
  fields.set("kind", { name: "kind", type: text, ...common });
  fields.set("metadata", { name: "metadata", type: namedType(metadataType), ...common });
  return { kind: "struct", name: kind, fields, atomic: false, open };
}
