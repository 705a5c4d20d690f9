import { requireCurrentChange } from "../../../shared/environments/changeControl.ts";
import { removeServiceObjects } from "../../../shared/environments/removeServiceObjects.ts";
import { tellingWhy } from "./tellingWhy.ts";

/** Deletes the objects of one service of an environment that is being deleted (contract P 17.1). */
export async function removeService(changeId: string, service: string): Promise<void> {
  const change = await requireCurrentChange(changeId);
  await tellingWhy(change, () => removeServiceObjects(change, service, change.deleteCrds));
}
