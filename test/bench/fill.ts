import { count } from "../../shared/base/store/counters.ts";
import { keys, lists, padded } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import { create } from "../../shared/base/store/writes.ts";
import { addOperations, someOperation } from "../harness/operations.ts";

/** A transaction holds a hundred writes; the last one counts. */
const maxAtOnce = 99;

/** Adds projects as the list sees them. */
export async function fillList(size: number): Promise<void> {
  for (let first = 1; first <= size; first += maxAtOnce) {
    const many = Math.min(maxAtOnce, size - first + 1);
    const projects = Array.from({ length: many }, (_, at) => project(first + at));
    await table().write(...projects.map(create), count("projects", many));
  }
}

function project(at: number) {
  const projectKey = `project-${at}`;
  const summary = { projectKey, name: projectKey, description: "One of very many", projectType: "yaml" };
  const listing = { listPk: lists.projects, listSk: `${padded(1_700_000_000 + at)}#${projectKey}`, summary };
  return { ...keys.project(projectKey), type: "project", ...listing };
}

const most = 10_000;

/** Adds records of the operation log: every second one by Bob, of one project and one environment, and refused. */
export async function fillLog(size: number): Promise<void> {
  for (let from = 0; from < size; from += most)
    await addOperations(Math.min(most, size - from), (at) => ({
      ...someOperation,
      ...(at % 2 === 0 ? made(at) : refused),
      scene: "environment",
      detail: `change ${from + at}`,
      createdAt: someOperation.createdAt + from + at,
    }));
}

const made = (at: number) => ({
  username: "Ada",
  projectKey: `shop-${2 + ((at / 2) % 5)}`,
  function: "Test Environment" as const,
  targets: ["dev"],
});
const refused = {
  username: "Bob",
  projectKey: "shop-1",
  function: "Production Environment" as const,
  targets: ["qa"],
  status: 403,
};
