import { groups } from "../../../functions/api/groups.ts";
import { openApiDocument } from "../../../shared/http/document/openApiDocument.ts";
import type { Declaration } from "../declarations.ts";
import { pathOf } from "../requests.ts";

/** What names of the path, the query and the body may be filled with; none for a name that is not known. */
export type ValuesOf = (name: string) => readonly unknown[];

export interface Attack {
  name: string;
  method: string;
  path: string;
  body?: unknown;
}

interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

const document = JSON.parse(JSON.stringify(openApiDocument(groups.map(({ routes }) => routes)))) as {
  paths: Record<
    string,
    Record<
      string,
      { parameters?: { name: string; in: string }[]; requestBody?: { content: Record<string, { schema: Schema }> } }
    >
  >;
  components?: { schemas?: Record<string, Schema> };
};

/**
 * Requests at an endpoint with names of the other project in every place that takes one: in turn each of the values that
 * a name has, with everything that the declaration knows and with what it demands alone.
 */
export function requestsAt({ name, route }: Declaration, valuesOf: ValuesOf, most: number): Attack[] {
  const [method = "", template = ""] = name.split(" ");
  const operation = document.paths[template]?.[method.toLowerCase()];
  const schema = operation?.requestBody?.content["application/json"]?.schema;
  const places = [...route.path.matchAll(/:([A-Za-z]+)/g)].map(([, place = ""]) => place);
  const queries = (operation?.parameters ?? []).filter((one) => one.in === "query").map((one) => one.name);
  const found = new Map<string, Attack>();
  // More rounds than requests are wanted: some come out alike.
  for (let round = 0; round < most * 6 && found.size < most; round++) {
    const pick = picker(valuesOf, round);
    const params = Object.fromEntries(places.map((place) => [place, String(pick(place) ?? "absent")]));
    const query = Object.fromEntries(
      queries.flatMap((one) => {
        const value = pick(one);
        return value === undefined ? [] : [[one, String(value)]];
      }),
    );
    const body = schema === undefined ? undefined : fill(schema, "", pick, round % 3 !== 2, 0);
    const attack = { name, method, path: pathOf(route.path, params, query), ...(body !== undefined && { body }) };
    found.set(JSON.stringify(attack), attack);
  }
  return [...found.values()];
}

type Pick = (name: string) => unknown;

/** Another mixture in every round, the same in every run. */
function picker(valuesOf: ValuesOf, round: number): Pick {
  return (name) => {
    const values = valuesOf(name);
    if (values.length === 0) return undefined;
    const seed = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
    return values[(round + Math.floor((round * seed) / 97)) % values.length];
  };
}

function fill(schema: Schema, name: string, pick: Pick, whole: boolean, depth: number): unknown {
  if (schema.$ref !== undefined) {
    const named = document.components?.schemas?.[schema.$ref.split("/").at(-1) ?? ""] ?? {};
    return fill(named, name, pick, whole, depth);
  }
  if (depth > 8) return undefined;
  const known = pick(name);
  const [choice] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (schema.type === "object" || schema.properties !== undefined) {
    const entries = Object.entries(schema.properties ?? {})
      .filter(([field]) => whole || schema.required?.includes(field))
      .map(([field, inner]) => [field, fill(inner, field, pick, whole, depth + 1)] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  if (schema.type === "array") {
    const item = known ?? fill(schema.items ?? {}, name.replace(/s$/, ""), pick, whole, depth + 1);
    return item === undefined ? [] : [item];
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum.includes(known) ? known : schema.enum[0];
  if (known !== undefined && (schema.type === undefined || typeof known === schema.type || choice)) return known;
  if (choice !== undefined) return fill(choice, name, pick, whole, depth + 1);
  if (schema.type === "boolean") return true;
  if (schema.type === "number" || schema.type === "integer") return 1;
  return schema.type === "string" ? "attack" : undefined;
}
