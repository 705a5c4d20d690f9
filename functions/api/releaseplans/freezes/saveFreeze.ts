import type * as z from "zod";
import { administersProject } from "../../../../shared/access/identity/rules/grants.ts";
import { ApiError, badRequest, notFound, type Problem } from "../../../../shared/base/errors/apiError.ts";
import { newId, nowSeconds } from "../../../../shared/base/store/ids.ts";
import { listEnvironments } from "../../../../shared/environments/store/environments.ts";
import type { Caller } from "../../../../shared/http/exchange.ts";
import type { Freeze } from "../../../../shared/projects/freezes/rules/freeze.ts";
import { timesOf } from "../../../../shared/projects/freezes/rules/timesOf.ts";
import {
  addFreeze,
  findFreezes,
  maxFreezeBytes,
  maxFreezes,
  removeFreeze,
  replaceFreeze,
  type StoredFreeze,
} from "../../../../shared/projects/freezes/store/freezes.ts";
import { findProjects } from "../../../../shared/projects/store/projects.ts";
import type { sentFreeze } from "./freezeSchemas.ts";

type SentFreeze = z.output<typeof sentFreeze>;
type Scope = Pick<Freeze, "projects" | "environments">;

const maxTries = 5;

/** @returns the new freeze's id @throws ApiError 400 naming what is wrong; 403 for projects of others */
export async function createFreezeRecord(sent: SentFreeze, caller: Caller): Promise<string> {
  const content = await checked(sent, caller);
  const now = nowSeconds();
  const freezeId = newId(now);
  const by = { createdBy: caller.name, createdAt: now, updatedBy: caller.name, updatedAt: now };
  if (await addFreeze({ freezeId, ...content, ...by })) return freezeId;
  const { length } = await findFreezes();
  throw length >= maxFreezes ? tooMany() : noRoom();
}

/** Replaces a freeze. @throws ApiError 404; 400, 403 as `createFreezeRecord`; 409 when others change it all the time */
export async function changeFreeze(freezeId: string, sent: SentFreeze, caller: Caller): Promise<void> {
  const content = await checked(sent, caller);
  const isDone = await withFreeze(freezeId, caller, async (before, all) => {
    const { createdBy, createdAt } = before;
    const by = { createdBy, createdAt, updatedBy: caller.name, updatedAt: nowSeconds() };
    const others = all.reduce((sum, { bytes }) => sum + bytes, -before.bytes);
    const freeze = { freezeId, ...content, ...by };
    if (others + Buffer.byteLength(JSON.stringify(freeze)) > maxFreezeBytes) throw noRoom();
    return replaceFreeze(before, freeze);
  });
  if (!isDone) throw notFound(`freeze ${freezeId}`);
}

/** Does nothing when the freeze is gone already. @throws ApiError 403 for projects of others */
export async function deleteFreeze(freezeId: string, caller: Caller): Promise<void> {
  await withFreeze(freezeId, caller, removeFreeze);
}

/** @returns false when there is none @throws ApiError 403; 409 when it changed at every try */
async function withFreeze(
  freezeId: string,
  caller: Caller,
  write: (before: StoredFreeze, all: readonly StoredFreeze[]) => Promise<boolean>,
): Promise<boolean> {
  for (let tries = 1; tries <= maxTries; tries++) {
    const all = await findFreezes();
    const before = all.find((freeze) => freeze.freezeId === freezeId);
    if (before === undefined) return false;
    requireRight(before, caller);
    if (await write(before, all)) return true;
  }
  throw new ApiError(409, "the freeze is being changed by others at the same moment; read it and try again");
}

/** What may be stored of what was sent. @throws ApiError 400 with every problem, 403 */
async function checked(sent: SentFreeze, caller: Caller) {
  const { name, reason } = sent;
  const projects = [...new Set(sent.projects)];
  const named = sent.environments.map(({ project_key, env_name }) => ({ projectKey: project_key, envKey: env_name }));
  const environments = [...new Map(named.map((one) => [JSON.stringify(one), one])).values()];
  requireRight({ projects, environments }, caller);
  const times = timesOf(sent);
  const problems: Problem[] = Array.isArray(times)
    ? times.map(({ field, problem }) => ({ in: "body", path: field, problem }))
    : [];
  problems.push(...(await unknownPlaces(sent)));
  if (problems.length > 0 || Array.isArray(times)) throw badRequest(problems);
  return { name, reason, projects, environments, times };
}

/** A caller who may not freeze the whole installation may freeze the projects that the caller administers. */
function requireRight({ projects, environments }: Scope, { grants }: Caller): void {
  if (grants.systemAdmin || grants.systemVerbs.has("edit_config_release_plan")) return;
  const about = [...projects, ...environments.map(({ projectKey }) => projectKey)];
  const foreign = about.find((projectKey) => !administersProject(grants, projectKey));
  if (about.length > 0 && foreign === undefined) return;
  const instead =
    foreign === undefined ? "a freeze that names only own projects" : `the administrator of project ${foreign}`;
  throw new ApiError(403, `requires edit_config_release_plan in the system, or ${instead}`);
}

async function unknownPlaces({ projects, environments }: SentFreeze): Promise<Problem[]> {
  const keys = [...new Set([...projects, ...environments.map(({ project_key }) => project_key)])];
  const standing = new Set((await findProjects(keys)).map(({ projectKey }) => projectKey));
  const withEnvironments = [...new Set(environments.map(({ project_key }) => project_key))];
  const lists = withEnvironments.map(async (key) => [key, await listEnvironments(key)] as const);
  const known = new Map(await Promise.all(lists));
  const inBody = (path: string, problem: string): Problem => ({ in: "body", path, problem });
  return [
    ...projects.flatMap((key, at) =>
      standing.has(key) ? [] : [inBody(`projects[${at}]`, `project ${key} does not exist; name the key of a project`)],
    ),
    ...environments.flatMap(({ project_key, env_name }, at) => {
      if (!standing.has(project_key))
        return [inBody(`environments[${at}].project_key`, `project ${project_key} does not exist; name its key`)];
      const found = known.get(project_key)?.find(({ envKey }) => envKey === env_name);
      if (found?.production === true) return [];
      const problem =
        found === undefined
          ? `environment ${env_name} does not exist in project ${project_key}; name a production environment of it`
          : `environment ${env_name} is a test environment; freezes hold for production environments alone`;
      return [inBody(`environments[${at}].env_name`, problem)];
    }),
  ];
}

function tooMany(): ApiError {
  const problem = `there are ${maxFreezes} freezes, which is the most; delete those that are over`;
  return badRequest([{ in: "body", path: "", problem }]);
}

function noRoom(): ApiError {
  const problem = `all freezes together have at most ${maxFreezeBytes} bytes; delete those that are over, or name projects instead of many environments`;
  return badRequest([{ in: "body", path: "", problem }]);
}
