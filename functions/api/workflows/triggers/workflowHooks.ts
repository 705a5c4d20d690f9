import { refusal } from "../../../../shared/access/identity/rules/permission.ts";
import { ApiError, badRequest } from "../../../../shared/base/errors/apiError.ts";
import { underLease } from "../../../../shared/base/store/leases.ts";
import { callerIn } from "../../../../shared/http/callerIn.ts";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import type { Caller } from "../../../../shared/http/exchange.ts";
import { success } from "../../../../shared/http/schemas.ts";
import { circleSentence, wayOfStarts } from "../../../../shared/workflows/saved/startCircle.ts";
import { findWorkflow, type VersionedWorkflow } from "../../../../shared/workflows/saved/store/workflows.ts";
import { listTriggers } from "../../../../shared/workflows/triggers/records/triggers.ts";
import { followedEndings } from "../../../../shared/workflows/triggers/rules/trigger.ts";
import { deleteTrigger, requireOwner } from "../../../../shared/workflows/triggers/saveTrigger.ts";
import { mayRead } from "./familyRoutes.ts";
import type { triggerRoutes } from "./routes.ts";
import { ownerOf, presetArg, saveWanted, shownOf } from "./wanted.ts";

type WorkflowHookIds =
  | "listWorkflowHooks"
  | "presetWorkflowHook"
  | "addWorkflowHook"
  | "changeWorkflowHook"
  | "deleteWorkflowHook";

const kind = "workflowhook";

async function save(
  way: "add" | "replace",
  request: Parameters<Handlers<typeof triggerRoutes>["addWorkflowHook" | "changeWorkflowHook"]>[0],
) {
  const { body, caller } = request;
  const workflowKey = request.params.workflowName;
  const followed = await readableWorkflow(body.workflow_key, caller);
  const { key, workflowId } = followed;
  // Two that are saved at once see each other: neither closes a circle that the other one opened.
  await underLease("workflow-hooks", { seconds: 20, maxWaitSeconds: 20 }, async () => {
    await requireNoCircle(workflowKey, followed);
    await saveWanted(way, { workflowKey, kind }, request, (base) => ({
      ...{ ...base, kind, after: { workflowId, workflowKey: key }, endings: body.statuses },
    }));
  });
  return success;
}

/** @throws ApiError 400 for one that is not there; 403 for one that the caller may not read */
async function readableWorkflow(key: string, caller: Caller): Promise<VersionedWorkflow> {
  const found = await findWorkflow(key);
  if (found === undefined) throw wrong(`there is no workflow ${key}`);
  const { projectKey } = found;
  const action = { permission: mayRead, mutates: false };
  const refused = refusal(action, await callerIn(caller, projectKey), { projectKey, workflow: key });
  if (refused !== undefined) throw new ApiError(403, `workflow_key: ${refused}`);
  return found;
}

/** @throws ApiError 400 where the workflow would come, by whatever way, after itself (decisions 19.5) */
async function requireNoCircle(workflowKey: string, followed: VersionedWorkflow): Promise<void> {
  await requireOwner(workflowKey);
  const way = await wayOfStarts(workflowKey, followed.key);
  if (way !== undefined) throw wrong(circleSentence([...way, workflowKey]));
}

function wrong(problem: string): ApiError {
  return badRequest([{ in: "body", path: "workflow_key", problem }]);
}

/** Workflows that start after others. */
export const workflowHookHandlers: Pick<Handlers<typeof triggerRoutes>, WorkflowHookIds> = {
  listWorkflowHooks: async ({ params: { workflowName } }) => {
    const found = await listTriggers(await ownerOf(workflowName), kind);
    return found.map((hook) => ({
      ...{ ...shownOf(hook), workflow_key: hook.after.workflowKey, statuses: [...hook.endings] },
    }));
  },
  presetWorkflowHook: async ({ params }) => ({
    workflow_arg: presetArg((await requireOwner(params.workflowName)).definition),
    statuses: [...followedEndings],
  }),
  addWorkflowHook: (request) => save("add", request),
  changeWorkflowHook: (request) => save("replace", request),
  deleteWorkflowHook: async ({ params: { workflowName: workflowKey, hookName: name } }) => {
    await deleteTrigger({ workflowKey, kind, name });
    return success;
  },
};
