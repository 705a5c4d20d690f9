import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import type { CancelTasks } from "../records/task.ts";
import { requireUnused } from "./requireUnused.ts";
import type { Sort } from "./saveDefinition.ts";

/**
 * Deletes a definition and ends what runs of it; one that is gone already is no error (decisions 1.1).
 * @throws ApiError with `code` while something refers to it, naming the users
 */
export async function removeDefinition<Content extends object>(
  { store, noun, code }: Sort<Content>,
  projectKey: string,
  name: string,
  cancelTasks?: CancelTasks,
): Promise<void> {
  const gone = await retryOnConflict(async () => {
    const found = await store.find(projectKey, name);
    if (found === undefined) return undefined;
    await requireUnused(`the ${noun} ${name}`, { key: store.key(projectKey, name) }, code);
    await store.remove(found);
    return found.definitionId;
  });
  if (gone !== undefined) await cancelTasks?.(gone);
}
