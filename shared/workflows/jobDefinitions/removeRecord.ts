import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import type { Sort } from "./keepRecord.ts";
import { requireUnused } from "./requireUnused.ts";

/**
 * Deletes a record; one that is gone already is no error (decisions 1.1).
 * @throws ApiError 400 while something refers to it, naming the users (decisions 7.7)
 */
export function removeRecord<Shown extends object, Kept extends object>(
  { noun, records }: Sort<Shown, Kept>,
  id: string,
): Promise<void> {
  return retryOnConflict(async () => {
    const found = await records.find(id);
    if (found === undefined) return;
    await requireUnused(`the ${noun}`, { key: records.key(id) });
    await records.remove(found);
  });
}
