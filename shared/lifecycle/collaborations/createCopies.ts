import { namesOfCopies } from "../../access/identity/namesOfCopies.ts";
import {
  type CollaborationGrant,
  type Copy,
  copiesOf,
  includes,
  nameOfShared,
  resourcesOf,
  type SharedResource,
  sharedOfName,
} from "../../access/identity/rules/collaboration.ts";
import type { Grants } from "../../access/identity/rules/grants.ts";
import { findCollaborations, type StoredMode, saveCollaborations } from "../../access/identity/store/collaborations.ts";
import { findUser, type User } from "../../access/identity/store/users.ts";
import { log } from "../../base/settings/log.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";

/** A copy that cannot be made may keep requests waiting for its cluster, so it is not tried at every look. */
const secondsBetweenTries = 600;

/** A copy that is to be made, under the name that was taken for it. */
export interface PlannedCopy extends Copy {
  /** Name of what it is made from. */
  base: string;
  /** Name of the mode. */
  mode: string;
  verbs: readonly string[];
}

/** How copies of one kind of resource are named and made. */
export interface CopyMaker {
  resource: SharedResource;
  /** Names of what exists in a project. */
  existing(projectKey: string): Promise<string[]>;
  /** A name that is free, and not one of those that are taken. */
  freeName(place: { mode: string; base: string }, user: User, taken: ReadonlySet<string>): Promise<string>;
  make(projectKey: string, copy: PlannedCopy, user: User): Promise<void>;
}

/**
 * A member's look at a list is what makes the copies that a collaboration mode promises (contract I 8.3).
 * @param listed names of what exists
 * @returns what the caller holds with the copies that were tried now, as grants were loaded before; undefined where
 * nothing was awaited, so that the list stays as it is
 */
export async function createAwaitedCopies(
  maker: CopyMaker,
  projectKey: string,
  { uid, grants }: { uid: string; grants: Grants },
  listed: readonly string[],
): Promise<Grants | undefined> {
  const { resource } = maker;
  const own = grants.collaborations.filter((grant) => grant.isCopy && grant.resource === resource);
  const isAwaited = own.some(({ name }) => !listed.includes(name)) || grants.lacksCopies.includes(resource);
  if (!isAwaited) return undefined;
  return { ...grants, collaborations: [...grants.collaborations, ...(await createCopies(maker, projectKey, uid))] };
}

/**
 * Makes the copies that collaboration modes of the project give to one user and that are not there yet: with the mode
 * for its users, at the first look for members of its groups. A copy that cannot be made is tried again at a later look;
 * a failure is logged, and no request fails because of it.
 * @returns what the user may do with the copies that were tried now
 */
export async function createCopies(maker: CopyMaker, projectKey: string, uid: string): Promise<CollaborationGrant[]> {
  const { resource } = maker;
  const user = await findUser(uid);
  if (user === undefined) return [];
  const planned = await planCopies(maker, projectKey, user);
  for (const copy of planned) {
    try {
      await maker.make(projectKey, copy, user);
    } catch (error) {
      log.error("copy not made", { projectKey, resource, name: copy.name, internal: String(error) });
    }
  }
  return planned.map(({ name, verbs }) => ({ projectKey, resource, name, verbs, isCopy: true }));
}

/** Takes names for the user's missing copies and says in the modes whose they are and that they are being made. */
async function planCopies(maker: CopyMaker, projectKey: string, user: User): Promise<PlannedCopy[]> {
  return retryOnConflict(async () => {
    const before = await findCollaborations(projectKey);
    if (before === undefined) return [];
    const existing = new Set(await maker.existing(projectKey));
    const gone = [...before.leaving, ...before.modes.flatMap((mode) => namesOfCopies(mode))].map(sharedOfName);
    const taken = new Set([
      ...existing,
      ...gone.filter(({ resource }) => resource === maker.resource).map(({ name }) => name),
    ]);
    const now = nowSeconds();
    const planned: PlannedCopy[] = [];
    const modes: StoredMode[] = [];
    for (const mode of before.modes) {
      const given = await givenCopies(maker, mode, user, taken);
      const missing = given.filter(({ name, triedAt }) => !existing.has(name) && triedAt + secondsBetweenTries <= now);
      planned.push(...missing);
      const tried = missing.map(({ base, name }): [string, Copy] => [
        nameOfShared(maker.resource, base),
        { name, triedAt: now },
      ]);
      const own = Object.fromEntries([...copiesOf(mode, user.uid), ...tried]);
      modes.push(missing.length === 0 ? mode : { ...mode, copies: { ...mode.copies, [user.uid]: own } });
    }
    if (planned.length > 0)
      await table().write(saveCollaborations(projectKey, before, { modes, leaving: before.leaving }));
    return planned;
  });
}

/** Every copy that the mode gives to the user, under the name that it has or gets. */
async function givenCopies(maker: CopyMaker, mode: StoredMode, user: User, taken: Set<string>): Promise<PlannedCopy[]> {
  if (!includes(mode, { uid: user.uid, groupIds: [...(user.groups ?? [])] })) return [];
  const had = copiesOf(mode, user.uid);
  const wanted = resourcesOf(mode).filter(({ type, resource }) => type === "new" && resource === maker.resource);
  const given: PlannedCopy[] = [];
  for (const { name: base, verbs } of wanted) {
    const place = { mode: mode.name, base };
    const known = had.get(nameOfShared(maker.resource, base));
    const copy = known ?? { name: await maker.freeName(place, user, taken), triedAt: 0 };
    taken.add(copy.name);
    given.push({ ...copy, ...place, verbs });
  }
  return given;
}
