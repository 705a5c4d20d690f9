import { expect } from "vitest";
import { count } from "../../shared/store/counters.ts";
import { keys, lists, padded } from "../../shared/store/keys.ts";
import { table } from "../../shared/store/theTable.ts";
import { batchWrite } from "./batchWrite.ts";
import { storeCallsOf, unitsOf } from "./storeCallsOf.ts";

/** Token, and the caller's whole partition beside that of all users. */
const authenticationCalls = 3;
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
export function expectNoDearer(before: readonly PageCost[], after: readonly PageCost[]): void {
  for (const [at, { page, trips, units }] of after.entries()) {
    expect(trips, `round trips of page ${page}`).toBeLessThanOrEqual((before[at]?.trips ?? 0) * 1.2);
    expect(units, `read units of page ${page}`).toBeLessThanOrEqual((before[at]?.units ?? 0) * 1.2);
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

/** Records of the operation log behind those that are there. */
export async function addOperations(amount: number): Promise<void> {
  const { value } = await table().add(keys.counter("operation-log"), amount);
  const record = {
    username: "admin",
    projectKey: "many",
    method: "Update",
    function: "Project Management - Service",
    scene: "",
    targets: [],
    detail: "web",
    requestBody: "{}",
    bodyType: "json",
    status: 200,
    createdAt: 1,
  };
  await batchWrite(amount, (at) => {
    const sequence = value - amount + 1 + at;
    return { ...keys.operationLog(sequence), type: "operation-log", version: 1, sequence, ...record };
  });
}

export const projectPages = "/openapi/projects/project?";
export const operationPages = "/openapi/system/operation?searchType=all&perPage=20&";
