import { allUsersGroupId } from "../../access/identity/rules/actions.ts";
import type { SharedEnvironment, SharedWorkflow } from "../../access/identity/rules/collaboration.ts";
import { subjectOfGroup, subjectOfUser } from "../../access/identity/store/bindings.ts";
import {
  findCollaborations,
  markMember,
  type StoredMode,
  saveCollaborations,
} from "../../access/identity/store/collaborations.ts";
import { findGroup, groupMustStand } from "../../access/identity/store/groups.ts";
import { findUser, userMustStand } from "../../access/identity/store/users.ts";
import { badRequest, type Problem } from "../../base/errors/apiError.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import type { Write } from "../../base/store/writes.ts";
import { type EnvironmentSummary, listEnvironments } from "../../environments/store/environments.ts";
import { projectMustStand, requireProject } from "../../projects/store/projects.ts";
import { listWorkflows } from "../../workflows/saved/store/workflows.ts";

/** Everybody, as a member's uid. */
const everybody = "*";
/** Requests that look at an environment read all modes of the project. */
const maxModes = 100;
const maxBytes = 128 * 1024;

export interface NewMode {
  projectKey: string;
  name: string;
  recycleDay: number;
  userIds: readonly string[];
  groupIds: readonly string[];
  environments: readonly SharedEnvironment[];
  workflows: readonly SharedWorkflow[];
}

/**
 * Creates a collaboration mode; what it shares holds from the next request on (contract I 8.1).
 * @throws ApiError 404 for an unknown project; 400 naming a taken name and every unknown member, workflow and environment
 */
export async function createMode(wanted: NewMode, actor: { name: string }): Promise<StoredMode> {
  const { projectKey } = wanted;
  const mode: StoredMode = { ...distinct(wanted), copies: {}, createdBy: actor.name, createdAt: nowSeconds() };
  await requireProject(projectKey);
  const problems = [
    ...(await memberProblems(mode)),
    ...(await workflowProblems(wanted)),
    ...environmentProblems(mode, await listEnvironments(projectKey)),
  ];
  if (problems.length > 0) throw badRequest(problems);
  await retryOnConflict(async () => {
    const before = await findCollaborations(projectKey);
    const modes = [...(before?.modes ?? []), mode];
    requireRoom(mode, before?.modes ?? []);
    await table().write(
      projectMustStand(projectKey),
      saveCollaborations(projectKey, before, { modes, leaving: before?.leaving ?? [] }),
      ...subjectsOf(mode).map((subject) => markMember(subject, mode, true)),
      ...membersMustStand(mode),
    );
  });
  return mode;
}

/** Partitions that say who is a member. */
export function subjectsOf({ userIds, groupIds }: Pick<StoredMode, "userIds" | "groupIds">): string[] {
  const users = userIds.map((uid) => (uid === everybody ? subjectOfGroup(allUsersGroupId) : subjectOfUser(uid)));
  return [...new Set([...users, ...groupIds.map(subjectOfGroup)])];
}

function distinct<M extends NewMode>(mode: M): M {
  return { ...mode, userIds: [...new Set(mode.userIds)], groupIds: [...new Set(mode.groupIds)] };
}

function membersMustStand({ userIds, groupIds }: StoredMode): Write[] {
  const users = userIds.filter((uid) => uid !== everybody).map(userMustStand);
  return [...users, ...groupIds.filter((id) => id !== allUsersGroupId).map(groupMustStand)];
}

async function memberProblems({ userIds, groupIds }: StoredMode): Promise<Problem[]> {
  const unknown = async (path: string, ids: readonly string[], known: (id: string) => Promise<boolean>) => {
    const found = await Promise.all(ids.map(known));
    return ids.flatMap((id, at): Problem[] =>
      found[at] ? [] : [{ in: "body", path: `${path}[${at}]`, problem: `${id} does not exist` }],
    );
  };
  const users = unknown("user_ids", userIds, async (id) => id === everybody || (await findUser(id)) !== undefined);
  const groups = unknown(
    "group_ids",
    groupIds,
    async (id) => id === allUsersGroupId || (await findGroup(id)) !== undefined,
  );
  return [...(await users), ...(await groups)];
}

async function workflowProblems({ projectKey, workflows }: NewMode): Promise<Problem[]> {
  const existing = workflows.length === 0 ? [] : await listWorkflows(projectKey);
  const known = new Set(existing.map(({ key }) => key));
  return workflows.flatMap(({ name }, at): Problem[] =>
    known.has(name) ? [] : [{ in: "body", path: `workflows[${at}].name`, problem: `workflow ${name} not found` }],
  );
}

/** A copy of a production environment would be one more: those can only be shared. */
function environmentProblems({ environments }: StoredMode, existing: readonly EnvironmentSummary[]): Problem[] {
  return environments.flatMap(({ name, type }, at): Problem[] => {
    const environment = existing.find(({ envKey }) => envKey === name);
    const refuse = (field: string, problem: string): Problem[] => [
      { in: "body", path: `envs[${at}].${field}`, problem },
    ];
    if (environment === undefined) return refuse("name", `environment ${name} not found`);
    if (type === "new" && environment.production)
      return refuse("collaboration_type", `${name} is a production environment, which can only be shared`);
    return [];
  });
}

function requireRoom(mode: StoredMode, others: readonly StoredMode[]): void {
  const refuse = (problem: string) => badRequest([{ in: "body", path: "name", problem }]);
  if (others.some(({ name }) => name === mode.name)) throw refuse(`collaboration mode ${mode.name} already exists`);
  if (others.length >= maxModes) throw refuse(`the project has ${maxModes} modes, which is the limit`);
  if (Buffer.byteLength(JSON.stringify([...others, mode])) > maxBytes)
    throw refuse("the project's modes are too large together; put members into groups, or delete a mode");
}
