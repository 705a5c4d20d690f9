import { count } from "../../shared/store/counters.ts";
import { keys, lists, padded } from "../../shared/store/keys.ts";
import { table } from "../../shared/store/theTable.ts";
import { create, type Write } from "../../shared/store/writes.ts";

/** A transaction holds a hundred writes; the last one counts. */
const mostAtOnce = 99;

/** Adds projects as the list sees them. */
export function fillList(size: number): Promise<void> {
  return fill("projects", size, (at) => {
    const projectKey = `project-${at}`;
    const summary = { projectKey, name: projectKey, description: "One of very many", projectType: "yaml" };
    const listing = { listPk: lists.projects, listSk: `${padded(1_700_000_000 + at)}#${projectKey}`, summary };
    return create({ ...keys.project(projectKey), type: "project", ...listing });
  });
}

/** Adds records of the operation log, numbered without a gap. */
export function fillLog(size: number): Promise<void> {
  return fill("operation-log", size, (at) =>
    create({
      ...keys.operationLog(at),
      type: "operation-log",
      sequence: at,
      username: "admin",
      projectKey: `project-${at}`,
      method: "Create",
      function: "Project Management - Project",
      scene: "",
      targets: [],
      detail: `project-${at}`,
      requestBody: "{}",
      bodyType: "json",
      status: 200,
      createdAt: 1_700_000_000 + at,
    }),
  );
}

async function fill(counter: string, size: number, write: (at: number) => Write): Promise<void> {
  for (let first = 1; first <= size; first += mostAtOnce) {
    const many = Math.min(mostAtOnce, size - first + 1);
    await table().write(...Array.from({ length: many }, (_, at) => write(first + at)), count(counter, many));
  }
}
