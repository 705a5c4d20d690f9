import { refusal } from "../../access/identity/rules/permission.ts";
import { readCaller } from "../../access/identity/session/readCaller.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import type { TaskActor } from "../records/task.ts";

type Verb = "run_workflow" | "run_test" | "run_scan";

/**
 * Whether a user may run something now, as if by a call with the token that was used (decisions 17.7): neither the user nor
 * the token gains a right by a workflow that runs something else.
 * @param workflow its key, where it is one
 */
export async function mayRun(
  actor: Pick<TaskActor, "uid" | "limits">,
  verb: Verb,
  { projectKey, workflow }: { projectKey: string; workflow?: string },
): Promise<boolean> {
  if (hasEnded(actor)) return false;
  const { uid, limits } = actor;
  const permission = { kind: "verb", verbs: [verb], ...(workflow && { collaboration: "workflow" as const }) } as const;
  try {
    const bearer = { uid, kind: "login", ...(limits && { limits }) } as const;
    const { caller } = await readCaller(bearer, { projectKey, withModes: true });
    const scope = { projectKey, ...(workflow !== undefined && { workflow }) };
    return refusal({ permission, mutates: true }, caller, scope) === undefined;
  } catch (error) {
    // The user was deleted.
    if (error instanceof ApiError && error.code === 401) return false;
    throw error;
  }
}

/** Whether the token that was used has ended. */
export function hasEnded({ limits }: Pick<TaskActor, "limits">): boolean {
  return limits?.expiresAt !== undefined && limits.expiresAt <= nowSeconds();
}

/** Where a token limits what the user may do: words for the sentence that refuses. */
export function withThatToken({ limits }: Pick<TaskActor, "limits">): string {
  return limits === undefined ? "" : " with the token that was used";
}
