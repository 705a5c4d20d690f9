import { refusal } from "../../../shared/access/identity/rules/permission.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { createAwaitedCopies } from "../../../shared/lifecycle/collaborations/createCopies.ts";
import { workflowCopies } from "../../../shared/lifecycle/collaborations/workflowCopies.ts";
import { listWorkflows, type WorkflowSummary } from "../../../shared/workflows/saved/store/workflows.ts";
import { findView } from "../../../shared/workflows/saved/store/workflowViews.ts";
import { requireForAdministrator } from "./requireForAdministrator.ts";

const reading = {
  permission: { kind: "verb", verbs: ["get_workflow"], collaboration: "workflow" },
  mutates: false,
} as const;

/**
 * The workflows of a project that the caller may see, by key (contract W 2.1, I 13.4); a view keeps those that are
 * enabled in it, an unknown one is no filter.
 * @throws ApiError 404 for an unknown project, to a system administrator only (decisions 1.1)
 */
export async function visibleWorkflows(
  projectKey: string,
  viewName: string | undefined,
  caller: Caller,
): Promise<WorkflowSummary[]> {
  const { all, grants } = await withCopies(projectKey, caller);
  if (all.length === 0) {
    await requireForAdministrator(projectKey, caller);
    return [];
  }
  const visible = all.filter(
    ({ key }) => refusal(reading, { ...caller, grants }, { projectKey, workflow: key }) === undefined,
  );
  const view = viewName ? await findView(projectKey, viewName) : undefined;
  if (view === undefined) return visible;
  const shown = new Set(view.workflows.filter(({ enabled }) => enabled).map(({ key }) => key));
  return visible.filter(({ key }) => shown.has(key));
}

/** With the copies that collaboration modes promise the caller, which this look makes. */
async function withCopies(
  projectKey: string,
  caller: Caller,
): Promise<{ all: WorkflowSummary[]; grants: Caller["grants"] }> {
  const all = await listWorkflows(projectKey);
  const keys = all.map(({ key }) => key);
  const grants = await createAwaitedCopies(workflowCopies, projectKey, caller, keys);
  if (grants === undefined) return { all, grants: caller.grants };
  return { all: await listWorkflows(projectKey), grants };
}
