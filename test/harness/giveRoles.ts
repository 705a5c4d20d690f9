import { createHash } from "node:crypto";
import { systemNamespace } from "../../shared/access/identity/rules/actions.ts";
import { bindUser, findBinding } from "../../shared/access/identity/store/bindings.ts";
import {
  createPolicy,
  findPolicy,
  makesAdministrator,
  newProjectPolicy,
  newSystemPolicy,
  replacePolicy,
  type StoredPolicy,
  takeRoleIds,
} from "../../shared/access/identity/store/policies.ts";
import { findUser } from "../../shared/access/identity/store/users.ts";
import { retryOnConflict } from "../../shared/base/store/retryOnConflict.ts";
import { table } from "../../shared/base/store/table.ts";

/** Roles in one namespace: name → verbs. A predefined role has the verbs it has, whatever is given. */
export interface HeldRoles {
  namespace: string;
  roles: Readonly<Record<string, readonly string[]>>;
}

/** Binds a user to roles, written straight to the store; namespaces and roles that are missing are made. */
export async function giveRoles(uid: string, held: readonly HeldRoles[]): Promise<void> {
  for (const { namespace, roles } of held)
    await retryOnConflict(async () => {
      const roleIds: number[] = [];
      for (const [name, verbs] of Object.entries(roles)) roleIds.push(await roleId(namespace, name, verbs));
      const [user, before, policy] = await Promise.all([
        findUser(uid),
        findBinding(uid, namespace),
        findPolicy(namespace),
      ]);
      if (user === undefined || policy === undefined) throw new Error(`user ${uid} cannot be bound in ${namespace}`);
      const all = [...new Set([...(before?.roleIds ?? []), ...roleIds])];
      const administrators = new Set([...(policy.administrators ?? []), uid]);
      const joins = makesAdministrator(policy, roleIds) ? [replacePolicy(policy, { administrators })] : [];
      await table().write(bindUser(user, { namespace, roleIds: all }, before), ...joins);
    });
}

/** Id of the role with this name and these verbs; different verbs make a different role. */
function roleId(namespace: string, name: string, verbs: readonly string[]): Promise<number> {
  return retryOnConflict(async () => {
    const policy = (await findPolicy(namespace)) ?? (await madePolicy(namespace));
    const digest = createHash("sha256").update(JSON.stringify(verbs)).digest("hex").slice(0, 8);
    const found = Object.entries(policy.roles).find(([, role]) => [name, `${name}-${digest}`].includes(role.name));
    if (found !== undefined) return Number(found[0]);
    const id = await takeRoleIds(1);
    const role = { name: `${name}-${digest}`, description: "", kind: "custom", verbs } as const;
    await table().write(replacePolicy(policy, { roles: { ...policy.roles, [id]: role } }));
    return id;
  });
}

async function madePolicy(namespace: string) {
  const made: { policy: StoredPolicy } =
    namespace === systemNamespace ? await newSystemPolicy("nobody") : await newProjectPolicy(namespace, false);
  await table().write(createPolicy(made.policy));
  const stored = await findPolicy(namespace);
  if (stored === undefined) throw new Error(`the policy of ${namespace} was not stored`);
  return stored;
}
