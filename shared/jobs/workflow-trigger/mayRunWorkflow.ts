import { loadCaller } from "../../auth/loadCaller.ts";
import { ApiError } from "../../domain/errors/apiError.ts";
import { refusal } from "../../domain/identity/permission.ts";

const running = {
  permission: { kind: "verb", verbs: ["run_workflow"], collaboration: "workflow" },
  mutates: true,
} as const;

/** Whether a user may run a workflow now, as if by a call: nobody gains a right by a workflow that starts another one. */
export async function mayRunWorkflow(uid: string, projectKey: string, workflow: string): Promise<boolean> {
  try {
    const caller = await loadCaller({ uid, kind: "login" }, { projectKey, withModes: true });
    return refusal(running, caller, { projectKey, workflow }) === undefined;
  } catch (error) {
    // The user was deleted.
    if (error instanceof ApiError && error.code === 401) return false;
    throw error;
  }
}
