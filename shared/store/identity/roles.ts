import { type ProjectAction, predefinedProjectRoles } from "../../domain/identity/actions.ts";
import { keys } from "../keys.ts";
import { table } from "../theTable.ts";
import { create, remove, type Write } from "../writes.ts";

/** A role of a project or, in the namespace `*`, of the installation (contract I 6.2). */
export interface Role {
  /** Unique in the whole installation, increasing. */
  id: number;
  name: string;
  namespace: string;
  description: string;
  kind: "custom" | "system";
  verbs: readonly ProjectAction[];
}

const descriptions: Readonly<Record<string, string>> = {
  "project-admin": "every operation in the project",
  "read-only": "read everything in the project",
  "read-project-only": "see the project itself, nothing inside",
};

/** Takes `amount` role ids that follow each other and returns the first; ids of a creation that fails are lost. */
export async function takeRoleIds(amount: number): Promise<number> {
  const { value } = await table().add(keys.counter("role-ids"), amount);
  return value - amount + 1;
}

/** The roles that every project has (contract I 4.4), with ids from `firstId` on. */
export function predefinedRoleWrites(projectKey: string, firstId: number): Write[] {
  return Object.entries(predefinedProjectRoles).map(([name, verbs], at) => {
    const role: Role = {
      id: firstId + at,
      name,
      namespace: projectKey,
      description: descriptions[name] ?? "",
      kind: "system",
      verbs,
    };
    return create({ ...keys.role(projectKey, name), type: "role", ...role });
  });
}

/** How many ids `predefinedRoleWrites` needs. */
export const predefinedRoleCount = Object.keys(predefinedProjectRoles).length;

/** Removes every role of a namespace; may be repeated. */
export async function removeRolesOf(namespace: string): Promise<void> {
  const roles = await table().query<object>({ pk: keys.role(namespace, "").pk });
  for (let at = 0; at < roles.length; at += 100) {
    await table().write(...roles.slice(at, at + 100).map(({ pk, sk }) => remove({ pk, sk })));
  }
}
