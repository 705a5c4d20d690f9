import { expect } from "vitest";
import { countGroups, countUsers } from "../../shared/access/identity/store/peopleCounters.ts";
import { mustExist } from "../../shared/base/store/conditions.ts";
import { count, countIn } from "../../shared/base/store/counters.ts";
import { keys, lists, padded } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import { update } from "../../shared/base/store/writes.ts";
import { batchWrite } from "./batchWrite.ts";
import { storeCallsOf, unitsOf } from "./storeCallsOf.ts";

/** Token, and at once an administrator's own partition, that of all users and the installation's roles. */
const authenticationCalls = 4;
const pages = [1, 2, 20];

export interface PageCost {
  page: number;
  trips: number;
  units: number;
}

/** What the pages of a list cost beyond authentication, by page number. */
export async function pageCosts(path: string, pageName: string, authentication = authenticationCalls) {
  const costs: PageCost[] = [];
  for (const page of pages) {
    const { status, body, calls } = await storeCallsOf("GET", `${path}${pageName}=${page}`);
    expect(status, body).toBe(200);
    const own = calls.slice(authentication);
    costs.push({ page, trips: own.length, units: unitsOf(own) });
  }
  return costs;
}

/** Fails when a page costs more than 1.2 times what it did with fewer records (decisions 4.2). */
export function expectNoDearer(before: readonly PageCost[], after: readonly PageCost[], what = ""): void {
  for (const [at, { page, trips, units }] of after.entries()) {
    expect(trips, `round trips of page ${page} ${what}`).toBeLessThanOrEqual((before[at]?.trips ?? 0) * 1.2);
    expect(units, `read units of page ${page} ${what}`).toBeLessThanOrEqual((before[at]?.units ?? 0) * 1.2);
  }
}

/** Projects as lists see them. */
export async function addProjects(from: number, to: number): Promise<void> {
  await batchWrite(to - from, (at) => {
    const projectKey = `many-${from + at}`;
    const summary = { projectKey, name: projectKey, description: "", projectType: "yaml" };
    const listing = { listPk: lists.projects, listSk: `${padded(1 + from + at)}#${projectKey}`, summary };
    return { ...keys.project(projectKey), type: "project", version: 1, ...listing };
  });
  await table().write(count("projects", to - from));
}

/** Users as lists see them. */
export async function addUsers(from: number, to: number): Promise<void> {
  await batchWrite(to - from, (at) => {
    const uid = `many-${padded(from + at)}`;
    const summary = { uid, account: uid, name: uid, identityType: "system", lastLoginTime: 0, createdAt: 1 };
    return { ...keys.user(uid), type: "user", version: 1, listPk: lists.users, listSk: `${uid}#system`, summary };
  });
  await table().write(countUsers("system", to - from));
}

/** Groups as lists see them. */
export async function addGroups(from: number, to: number): Promise<void> {
  await batchWrite(to - from, (at) => {
    const groupId = `many-${padded(from + at)}`;
    const summary = { groupId, name: groupId, description: "", userTotal: 0 };
    return { ...keys.group(groupId), type: "group", version: 1, listPk: lists.groups, listSk: groupId, summary };
  });
  await table().write(countGroups(to - from));
}

/** Release plans as lists see them. */
export async function addReleasePlans(from: number, to: number): Promise<void> {
  await batchWrite(to - from, (at) => {
    const index = from + at + 1;
    const planId = `many-${padded(index)}`;
    const names = { planId, index, name: planId, manager: "lee", description: { inline: "" }, createdBy: "admin" };
    const summary = {
      ...names,
      createdAt: 1,
      status: "planning",
      startTime: 0,
      endTime: 0,
      successTime: 0,
      updatedAt: 1,
    };
    const listing = { listPk: lists.releasePlans, listSk: padded(index), summary };
    const plan = { ...names, jobs: [], logCount: 0 };
    return { ...plan, ...keys.releasePlan(planId), type: "release-plan", version: 1, ...listing };
  });
  const buckets: Record<string, number> = {};
  for (let at = from; at < to; at++)
    buckets[`b${Math.floor(at / 100)}`] = (buckets[`b${Math.floor(at / 100)}`] ?? 0) + 1;
  await table().write(countIn(keys.releasePlanCounts(), "release-plan-counts", { total: to - from, ...buckets }));
}

/** Builds of the project `many-0` as lists see them. */
export async function addBuilds(from: number, to: number): Promise<void> {
  const projectKey = "many-0";
  await batchWrite(to - from, (at) => {
    const name = `many-${padded(from + at)}`;
    const summary = {
      name,
      updatedBy: "admin",
      updatedAt: 1,
      targets: [{ serviceName: "web", serviceModule: "main" }],
    };
    const listing = { listPk: lists.definitions("build", projectKey), listSk: `${padded(1)}#${name}`, summary };
    return { ...keys.definition("build", projectKey, name), type: "build", version: 1, ...listing };
  });
  await table().write(update(keys.project(projectKey), { add: { buildTotal: to - from } }, mustExist));
}

export const userPages = "/openapi/users?";
export const groupPages = "/openapi/user-groups?";
export const buildPages = "/openapi/build?projectKey=many-0&";
export const releasePlanPages = "/openapi/release_plan/v1?";
export const projectPages = "/openapi/projects/project?";
export const operationPages = "/openapi/system/operation?searchType=all&perPage=20&";
