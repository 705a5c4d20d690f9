import { kubernetesKinds, kubernetesTypes } from "./kubernetesFields.ts";

/** What a field holds; `type` is the number of a struct's type, absent for what is not looked into. */
export interface Held {
  is: "value" | "map" | "list";
  type?: number;
  /** Of a list: the fields that tell its entries apart, none for a set; absent where entries may be alike. */
  keys?: readonly string[];
}

/** The fields of a struct by name. */
export type DeclaredFields = ReadonlyMap<string, Held>;

let kinds: ReadonlyMap<string, number> | undefined;
let lines: readonly string[] | undefined;
const read = new Map<number, DeclaredFields>();

/** The number of a kind's type; undefined for kinds that do not come with Kubernetes itself. */
export function typeOfKind({ apiVersion, kind }: { apiVersion: string; kind: string }): number | undefined {
  kinds ??= new Map(
    kubernetesKinds
      .trim()
      .split("\n")
      .map((line) => line.split(" "))
      .map(([name = "", number]) => [name, Number(number)]),
  );
  return kinds.get(`${apiVersion}/${kind}`);
}

/** The fields that a type has. */
export function declaredFields(type: number): DeclaredFields {
  const known = read.get(type);
  if (known !== undefined) return known;
  lines ??= kubernetesTypes.slice(1, -1).split("\n");
  const fields = new Map((lines[type] ?? "").split(" ").map(readField));
  read.set(type, fields);
  return fields;
}

function readField(text: string): [string, Held] {
  const [, name = "", form, number, keys] = /^([^:]+)(?::([{[]?)(\d*)(?:\((.*)\))?)?$/.exec(text) ?? [];
  const is = form === "{" ? "map" : form === "[" ? "list" : "value";
  return [
    name,
    {
      is,
      ...(number && { type: Number(number) }),
      ...(keys !== undefined && { keys: keys.split(",").filter(Boolean) }),
    },
  ];
}
