import { definitionTotal, requireProject } from "../../projects/store/projects.ts";
import type { DefinitionStore } from "./store/definitionStore.ts";

/**
 * A page of a project's definitions in the order of their list, and how many there are.
 * @throws ApiError 404 for an unknown project
 */
export async function pageOfDefinitions<Shown extends object>(
  { kind, listFirst }: Pick<DefinitionStore<object, Shown>, "kind" | "listFirst">,
  { projectKey, pageNum, pageSize }: { projectKey: string; pageNum: number; pageSize: number },
): Promise<{ shown: Shown[]; total: number }> {
  const [first, project] = await Promise.all([
    listFirst(projectKey, Math.min(pageNum * pageSize, maxRead)),
    requireProject(projectKey),
  ]);
  return { shown: first.slice((pageNum - 1) * pageSize, pageNum * pageSize), total: definitionTotal(project, kind) };
}

/** A page number may be any number; no installation has as many builds. */
const maxRead = 1_000_000;
