import type { StoredMode } from "../identity/store/collaborations.ts";
import { environmentCopies } from "./environmentCopies.ts";
import { makeCopies } from "./makeCopies.ts";
import { workflowCopies } from "./workflowCopies.ts";

/** Of the 29 seconds that a request may take. */
const millisecondsForFirstCopies = 15_000;

/** Makes the copies of a new mode's users; whom the time of the request is too short for get theirs at their first look. */
export async function makeFirstCopies({ projectKey, userIds }: StoredMode): Promise<void> {
  const deadline = Date.now() + millisecondsForFirstCopies;
  for (const uid of userIds)
    for (const maker of [workflowCopies, environmentCopies])
      if (Date.now() < deadline) await makeCopies(maker, projectKey, uid);
}
