import { type Key, keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { allUsersGroupId, systemAdminRole, systemNamespace } from "../rules/actions.ts";
import type { Holder } from "../rules/grants.ts";
import { type Binding, rolesOfGroups, standingRoles } from "../rules/policy.ts";
import { subjectOfGroup, subjectOfUser } from "./bindings.ts";
import type { Collaborations } from "./collaborations.ts";
import { findPolicy, type StoredPolicy } from "./policies.ts";
import type { User } from "./users.ts";

/** A user with all that one decision asks of what the user holds. */
export interface LoadedHolder extends Omit<Holder, "limits"> {
  user: User | undefined;
  /** What was read in the same batch for another purpose. */
  besides: readonly Item<object>[];
}

type Stored = User & Binding & StoredPolicy & Collaborations;

const nobody: LoadedHolder = { user: undefined, uid: "", groupIds: [], bindings: [], policies: [], besides: [] };

/**
 * What a decision about one project, or about none, needs: one batch of at most six items.
 * @param withModes whether collaboration modes of the project count
 * @param besides what else is wanted of the table at this moment: it comes in the same batch
 */
export async function readHolder(
  uid: string,
  {
    projectKey,
    withModes,
    besides = [],
  }: { projectKey: string | undefined; withModes: boolean; besides?: readonly Key[] },
): Promise<LoadedHolder> {
  const namespaces = new Set([systemNamespace, ...(projectKey === undefined ? [] : [projectKey])]);
  const ofNamespaces = [...namespaces].flatMap((namespace) => [
    keys.grant(subjectOfUser(uid), namespace),
    keys.policy(namespace),
  ]);
  const modes = withModes && projectKey !== undefined ? [keys.collaborations(projectKey)] : [];
  const items = await table().getMany<Stored>([keys.user(uid), ...ofNamespaces, ...modes, ...besides]);
  const wanted = items.filter(({ pk, sk }) => besides.some((key) => key.pk === pk && key.sk === sk));
  return { ...holderOf(items), besides: wanted };
}

/**
 * What a decision about everything needs: the user's own partition and the installation's roles at once, then the
 * partitions of the user's groups, then roles and modes of the projects found. It costs by what the caller is in, not by
 * what the installation holds; an administrator's needs no more than the first step.
 */
export async function readHolderEverywhere(uid: string): Promise<LoadedHolder> {
  const [own, system, ofAll] = await Promise.all([
    heldBy(subjectOfUser(uid)),
    findPolicy(systemNamespace),
    heldBy(subjectOfGroup(allUsersGroupId)),
  ]);
  const ofSystem = system === undefined ? [] : [system];
  const holder = { ...holderOf(own), policies: ofSystem };
  if (holder.user === undefined || isAdministrator(holder, system)) return holder;
  const ofGroups = await Promise.all(holder.groupIds.map((id) => heldBy(subjectOfGroup(id))));
  const found = await table().getMany<Stored>(placesNamedBy([...own, ...ofAll, ...ofGroups.flat()]));
  const { policies, modes = [] } = holderOf([...own, ...found]);
  return { ...holder, policies: [...ofSystem, ...policies], modes };
}

/** Everything a subject's partition says of what it holds, a user's profile included. */
function heldBy(subject: string): Promise<Item<Stored>[]> {
  return table().query<Stored>({ pk: subject, prefix: "profile" });
}

/** Keys of the roles and the collaboration modes that a subject's partition names. */
function placesNamedBy(items: readonly Item<Stored>[]): Key[] {
  const grants = items.filter(({ type }) => type === "grant" || type === "group-grant");
  const namespaces = new Set(grants.map(({ namespace }) => namespace));
  namespaces.delete(systemNamespace);
  const projects = new Set(items.filter(({ type }) => type === "mode-member").map(({ projectKey }) => projectKey));
  return [...[...namespaces].map(keys.policy), ...[...projects].map(keys.collaborations)];
}

function holderOf(items: readonly Item<Stored>[]): LoadedHolder {
  const user = items.find((item) => item.type === "user" && item.deleting !== true);
  if (user === undefined) return nobody;
  return {
    user,
    besides: [],
    uid: user.uid,
    groupIds: [...(user.groups ?? [])],
    bindings: items.filter((item) => item.type === "grant"),
    policies: items.filter((item) => item.type === "policy"),
    modes: items.filter((item) => item.type === "collaborations").flatMap((item) => item.modes),
  };
}

function isAdministrator({ bindings, groupIds }: LoadedHolder, system: StoredPolicy | undefined): boolean {
  if (system === undefined) return false;
  const own = bindings.filter(({ namespace }) => namespace === systemNamespace).flatMap(({ roleIds }) => roleIds);
  const roles = standingRoles(system, [...own, ...rolesOfGroups(system, groupIds)]);
  return roles.some(({ name }) => name === systemAdminRole);
}
