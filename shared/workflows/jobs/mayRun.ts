import { ApiError } from "../../errors/apiError.ts";
import { refusal } from "../../identity/rules/permission.ts";
import { loadCaller } from "../../identity/session/loadCaller.ts";

type Verb = "run_workflow" | "run_test" | "run_scan";

/**
 * Whether a user may run something now, as if by a call: nobody gains a right by a workflow that runs something else.
 * @param workflow its key, where it is one
 */
export async function mayRun(
  uid: string,
  verb: Verb,
  { projectKey, workflow }: { projectKey: string; workflow?: string },
): Promise<boolean> {
  const permission = { kind: "verb", verbs: [verb], ...(workflow && { collaboration: "workflow" as const }) } as const;
  try {
    const { caller } = await loadCaller({ uid, kind: "login" }, { projectKey, withModes: true });
    const scope = { projectKey, ...(workflow !== undefined && { workflow }) };
    return refusal({ permission, mutates: true }, caller, scope) === undefined;
  } catch (error) {
    // The user was deleted.
    if (error instanceof ApiError && error.code === 401) return false;
    throw error;
  }
}
