import { expect, it } from "vitest";
import { isDict, textAt } from "../../../../infra/local/cluster/model/object.ts";
import {
  any,
  definitions,
  type Field,
  type ListType,
  namedType,
  type Struct,
  type Type,
} from "../../../../infra/local/cluster/schema/types.ts";

/** Lists whose doubles Kubernetes refuses from everybody, so that none of two entries may be dropped. */
const refusedDoubles = new Set([
  "containers",
  "initContainers",
  "ephemeralContainers",
  "volumes",
  "volumeMounts",
  "volumeDevices",
  "topologySpreadConstraints",
  "resourceClaims",
  "claims",
  "schedulingGates",
  "ServiceSpec.ports",
]);

const lines: string[] = [];
const numbers = new Map<Struct, number>();

/** A struct's line: its fields in order, each with what it holds. */
function numberOf(struct: Struct): number {
  const known = numbers.get(struct);
  if (known !== undefined) return known;
  const number = numbers.size;
  numbers.set(struct, number);
  lines[number] = "";
  const fields = [...struct.fields].map(([name, { type }]) => {
    return name + held(type, refusedDoubles.has(name) || refusedDoubles.has(`${struct.name}.${name}`));
  });
  lines[number] = fields.join(" ");
  return number;
}

function held(type: Type, refuses = false): string {
  if (type.kind === "struct") return `:${numberOf(type)}`;
  if (type.kind === "map") return type.element.kind === "struct" ? `:{${numberOf(type.element)}` : "";
  return type.kind === "list" ? listed(type, refuses) : "";
}

function listed({ element, mode, keys }: ListType, refuses: boolean): string {
  const told = mode === "atomic" || refuses ? "" : `(${keys.join(",")})`;
  const items = element.kind === "struct" ? numberOf(element) : "";
  return told === "" && items === "" ? "" : `:[${items}${told}`;
}

it("the fields that Kubernetes declares are those of the published schemas", async () => {
  const kinds = [...definitions].flatMap(([name, schema]) => {
    const named = schema["x-kubernetes-group-version-kind"];
    const type = namedType(name);
    if (!Array.isArray(named) || type.kind !== "struct" || !type.fields.has("metadata")) return [];
    return named.filter(isDict).map((kind) => {
      const group = textAt(kind, "group");
      const apiVersion = `${group}${group && "/"}${textAt(kind, "version")}`;
      // A status is the server's: what a manifest says there is not looked into.
      const fields = [...type.fields].map(([field, held]): [string, Field] => {
        return [field, field === "status" ? { ...held, type: any } : held];
      });
      return `${apiVersion}/${textAt(kind, "kind")} ${numberOf({ ...type, fields: new Map(fields) })}`;
    });
  });
  const text = `// Generated: npx vitest run --project unit test/shared/manifest/schema/kubernetesFields.test.ts --update

/** The kinds of Kubernetes 1.35 that come without a definition of their own, each with the number of its type. */
export const kubernetesKinds = \`
${kinds.join("\n")}
\`;

/**
 * The types by number, one a line: names of fields, each with what it holds. \`:7\` is type 7, \`:{7\` a map of it, \`:[7\`
 * a list of it; in parentheses the fields that tell the entries of a list apart, none for a set. A name alone holds
 * what is not looked into.
 */
export const kubernetesTypes = \`
${lines.join("\n")}
\`;
`;
  await expect(text).toMatchFileSnapshot("../../../../shared/manifest/schema/kubernetesFields.ts");
});
