import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { builtIn } from "../../infra/local/cluster/api/resource.ts";
import { openApiPath } from "../../infra/local/cluster/http/discovery.ts";
import { type Dict, dictAt, isDict, textAt } from "../../infra/local/cluster/model/object.ts";
import { definitions } from "../../infra/local/cluster/schema/types.ts";
import { rawClient } from "../infra/local/cluster/rawClient.ts";

const path = process.env.KUBECONFIG;
if (!path) console.warn("KUBECONFIG is not set: the sandbox's schemas are not compared with a real API server");

const compared = [
  "type",
  "format",
  "required",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-merge-key",
  "x-kubernetes-patch-strategy",
];

/** What of a schema decides how the sandbox treats a field. */
function essence(schema: Dict): Dict {
  const result: Dict = {};
  for (const key of compared) if (schema[key] !== undefined) result[key] = schema[key];
  const [inherited] = Array.isArray(schema.allOf) ? schema.allOf : [];
  const reference = textAt(inherited, "$ref") || textAt(schema, "$ref");
  if (reference) result.reference = reference.split("/").at(-1);
  if (isDict(schema.items)) result.items = essence(schema.items);
  if (isDict(schema.additionalProperties)) result.additionalProperties = essence(schema.additionalProperties);
  const properties = Object.entries(dictAt(schema, "properties"));
  if (properties.length > 0) {
    result.properties = Object.fromEntries(
      properties.map(([name, property]) => [name, isDict(property) ? essence(property) : {}]),
    );
  }
  return result;
}

it.skipIf(!path)("the sandbox has the same schemas as the real API server", async () => {
  const real = rawClient(readFileSync(path!, "utf8"));
  for (const document of new Set(builtIn.map(openApiPath))) {
    const published = dictAt((await real.send("GET", `/openapi/v3/${document}`)).body, "components", "schemas");
    for (const [name, schema] of Object.entries(published)) {
      const ours = definitions.get(name);
      if (ours && isDict(schema)) expect({ name, ...essence(ours) }).toEqual({ name, ...essence(schema) });
    }
  }
  real.close();
});
