import { type CollaborationGrant, type Copy, copiesOf, includes } from "../domain/identity/collaboration.ts";
import { copyName } from "../domain/identity/copyName.ts";
import { createEnvironment } from "../environments/createEnvironment.ts";
import { log } from "../log.ts";
import { findCollaborations, type StoredMode, saveCollaborations } from "../store/collaborations.ts";
import { findWholeEnvironment, listEnvironments, type WholeEnvironment } from "../store/environments.ts";
import { findUser, type User } from "../store/identity/users.ts";
import { nowSeconds } from "../store/ids.ts";
import { retryLost } from "../store/retryLost.ts";
import { table } from "../store/theTable.ts";

/** A copy that cannot be made keeps requests waiting for its cluster, so it is not tried at every look. */
const secondsBetweenTries = 600;

/** Of the 29 seconds that a request may take. */
const millisecondsForFirstCopies = 15_000;

interface PlannedCopy extends Copy {
  base: string;
  verbs: readonly string[];
}

/**
 * Makes the copies of environments that collaboration modes of the project give to one user and that are not there yet
 * (contract I 8.3): with the mode for its users, at the first look for members of its groups. A copy that cannot be made
 * is tried again at a later look; what failed stands in the log, and no request fails of it.
 * @returns what the user may do with the copies that were tried now
 */
export async function makeCopies(projectKey: string, uid: string): Promise<CollaborationGrant[]> {
  const user = await findUser(uid);
  if (user === undefined) return [];
  const planned = await planCopies(projectKey, user);
  for (const copy of planned) {
    try {
      await makeCopy(projectKey, copy, user);
    } catch (error) {
      log.error("copy of an environment not made", { projectKey, name: copy.name, internal: String(error) });
    }
  }
  return planned.map(({ name, verbs }) => ({ projectKey, resource: "environment", name, verbs, isCopy: true }));
}

/** Makes the copies of a new mode's users; whom the time of the request is too short for get theirs at their first look. */
export async function makeFirstCopies({ projectKey, userIds }: StoredMode): Promise<void> {
  const deadline = Date.now() + millisecondsForFirstCopies;
  for (const uid of userIds) if (Date.now() < deadline) await makeCopies(projectKey, uid);
}

/** Takes names for the user's missing copies and says in the modes whose they are and that they are being made. */
async function planCopies(projectKey: string, user: User): Promise<PlannedCopy[]> {
  return retryLost(async () => {
    const before = await findCollaborations(projectKey);
    if (before === undefined) return [];
    const existing = new Set((await listEnvironments(projectKey)).map(({ envKey }) => envKey));
    const taken = new Set([...existing, ...before.leaving, ...before.modes.flatMap(namesOf)]);
    const now = nowSeconds();
    const planned: PlannedCopy[] = [];
    const modes = before.modes.map((mode) => {
      const missing = givenCopies(mode, user, taken).filter(
        ({ name, triedAt }) => !existing.has(name) && triedAt + secondsBetweenTries <= now,
      );
      planned.push(...missing);
      const tried = missing.map(({ base, name }): [string, Copy] => [base, { name, triedAt: now }]);
      const own = Object.fromEntries([...copiesOf(mode, user.uid), ...tried]);
      return missing.length === 0 ? mode : { ...mode, copies: { ...mode.copies, [user.uid]: own } };
    });
    if (planned.length > 0)
      await table().write(saveCollaborations(projectKey, before, { modes, leaving: before.leaving }));
    return planned;
  });
}

/** Every copy that the mode gives to the user, under the name that it has or gets. */
function givenCopies(mode: StoredMode, user: User, taken: Set<string>): PlannedCopy[] {
  const { uid, identityType, account } = user;
  if (!includes(mode, { uid, groupIds: [...(user.groups ?? [])] })) return [];
  const had = copiesOf(mode, uid);
  const wanted = mode.environments.filter(({ type }) => type === "new");
  return wanted.map(({ name: base, verbs }) => {
    const copy = had.get(base) ?? {
      name: copyName({ mode: mode.name, base, identityType, account }, taken),
      triedAt: 0,
    };
    taken.add(copy.name);
    return { base, verbs, ...copy };
  });
}

function namesOf({ copies }: StoredMode): string[] {
  return Object.values(copies).flatMap((ofMember) => Object.values(ofMember).map(({ name }) => name));
}

/** Services, variables, images and global variables of the base, in a namespace of its own. */
async function makeCopy(projectKey: string, { base, name }: PlannedCopy, user: User): Promise<void> {
  const whole = await findWholeEnvironment(projectKey, base, { consistent: true });
  if (whole === undefined || whole.environment.production) return;
  const { clusterId, registryId, globalVariables } = whole.environment;
  await createEnvironment(
    {
      projectKey,
      envKey: name,
      kind: "test",
      clusterId,
      registryId,
      namespace: `${projectKey}-env-${name}`.slice(0, 63).replace(/-+$/, ""),
      services: whole.services.filter(({ definitionGone }) => !definitionGone).map(serviceOf),
      globalVariables: globalVariables.map(({ key, value }) => ({ key, value })),
      envConfigs: [],
    },
    user,
  );
}

function serviceOf({ name, variables, changedImages }: WholeEnvironment["services"][number]) {
  return {
    name,
    variables,
    containers: Object.entries(changedImages).map(([container, image]) => ({ name: container, image })),
  };
}
