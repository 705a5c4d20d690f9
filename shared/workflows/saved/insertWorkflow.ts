import { newId, nowSeconds } from "../../base/store/ids.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import type { Write } from "../../base/store/writes.ts";
import { referencesOf } from "../definition/references.ts";
import { takeOutCredentials } from "./credentials.ts";
import { namesAreFree } from "./namesAreFree.ts";
import { putCredentials } from "./store/workflowCredentials.ts";
import { createWorkflow, type Workflow } from "./store/workflows.ts";
import { existingRecords, putUses, workflowUser } from "./store/workflowUses.ts";
import { withUses } from "./withUses.ts";

/**
 * Stores a new workflow: its credentials apart from it, each sealed, and what it refers to is held.
 * @param made with its credentials in place
 * @param beside what is written with it, asked for again when another write was faster
 * @throws ApiError 6540 for a key or a display name that is taken; 6545 for credentials that cannot be stored
 */
export async function insertWorkflow(
  made: Pick<Workflow, "projectKey" | "key" | "displayName" | "source">,
  maker: { name: string },
  beside: () => Promise<Write[]>,
): Promise<void> {
  const now = nowSeconds();
  const workflowId = newId(now);
  const { source, sealed } = await takeOutCredentials(workflowId, made.source);
  const saved = { createdBy: maker.name, createdAt: now, updatedBy: maker.name, updatedAt: now };
  const workflow = { ...made, workflowId, source, ...saved };
  await retryOnConflict(async () => {
    const after = await existingRecords(referencesOf(source));
    const own = [await putCredentials(made.key, sealed), await putUses(made.key, after), ...(await beside())];
    await withUses({ before: [], after, user: workflowUser(workflow) }, (held) =>
      namesAreFree(workflow, () => createWorkflow(workflow, [...own, ...held])),
    );
  });
}
