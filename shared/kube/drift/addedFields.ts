import type { KubeObject } from "../../manifest/parseManifest.ts";
import { isTaken } from "../apply/adoptFields.ts";
import { fieldsOnlyOf, keyAt } from "../apply/fieldsOnlyOf.ts";
import type { LiveObject } from "../client/ClusterClient.ts";
import type { DriftedField } from "./driftedFields.ts";
import { type AppliedBy, type OwnedFields, ownersBelow, ownersOf } from "./fieldOwners.ts";
import { isPersonal } from "./personalManager.ts";

/** Fields of a spec that people and tools hold alone and that our manifest does not have. */
export function addedFields(applied: KubeObject, live: LiveObject, by: AppliedBy): DriftedField[] {
  const owners = ownersOf(live, by);
  const isAdding = ({ ours }: OwnedFields, at: number) =>
    !ours && isTaken(live.metadata.managedFields?.[at] ?? {}, isPersonal);
  const people = owners.filter(isAdding);
  const others = owners.filter((owner, at) => !isAdding(owner, at));
  return fieldsOnlyOf(live.spec, ownersBelow(people, "f:spec"), ownersBelow(others, "f:spec"))
    .filter(({ steps }) => !holds(applied.spec, steps))
    .map(({ path, steps, value, owner }) => ({
      path: `spec${steps.map(spelled).join("")}`,
      names: ["spec", ...path.filter((step) => typeof step === "string")],
      applied: undefined,
      live: value,
      manager: owner?.manager ?? "",
      time: owner?.time,
      added: true,
    }));
}

function holds(value: unknown, steps: readonly string[]): boolean {
  let inner = value;
  for (const step of steps) {
    const key = keyAt(inner, step);
    if (key === undefined) return false;
    inner = (inner as Record<string | number, unknown>)[key];
  }
  return true;
}

function spelled(step: string): string {
  const rest = step.slice(2);
  if (step.startsWith("f:")) return /^[A-Za-z_][\w-]*$/.test(rest) ? `.${rest}` : `[${JSON.stringify(rest)}]`;
  if (!step.startsWith("k:")) return `[${rest}]`;
  const keys = Object.entries(JSON.parse(rest) as Record<string, unknown>);
  return `[${keys.map(([name, told]) => `${name}=${String(told)}`).join(",")}]`;
}
