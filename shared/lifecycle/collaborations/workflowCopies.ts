import { namesOfCopies } from "../../access/identity/namesOfCopies.ts";
import { nameOfShared } from "../../access/identity/rules/collaboration.ts";
import { workflowCopyKeys } from "../../access/identity/rules/copyName.ts";
import { findCollaborations } from "../../access/identity/store/collaborations.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { mustHaveVersion } from "../../base/store/conditions.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { check, type Write } from "../../base/store/writes.ts";
import { longestDisplayName } from "../../workflows/definition/lint.ts";
import { openSource } from "../../workflows/saved/credentials.ts";
import { insertWorkflow } from "../../workflows/saved/insertWorkflow.ts";
import { findWorkflow, listWorkflows } from "../../workflows/saved/store/workflows.ts";
import type { CopyMaker } from "./createCopies.ts";

/** The definition as it is now, with credentials of its own: from then on nothing is shared. */
export const workflowCopies: CopyMaker = {
  resource: "workflow",
  existing: async (projectKey) => (await listWorkflows(projectKey)).map(({ key }) => key),
  freeName: async (place, { identityType, uid }, taken) => {
    const candidates = workflowCopyKeys({ ...place, identityType, uid });
    for (;;) {
      const { value: key } = candidates.next();
      if (!taken.has(key) && (await findWorkflow(key)) === undefined) return key;
    }
  },
  make: async (projectKey, { mode, base, name }, user) => {
    // It looks after copies that go without visits.
    await enableReconciler();
    const workflow = await findWorkflow(base);
    if (workflow?.projectKey !== projectKey) return;
    const wanted = [mode, workflow.displayName, user.identityType, user.account].join("-");
    const taken = new Set((await listWorkflows(projectKey)).map(({ displayName }) => displayName));
    const display_name = freeText(wanted, taken);
    const source = { ...(await openSource(workflow)), name, display_name, project: projectKey };
    await insertWorkflow({ projectKey, key: name, displayName: display_name, source }, user, () =>
      isStillPromised(projectKey, name),
    );
  },
};

/** A mode that ends meanwhile leaves no copy behind. */
async function isStillPromised(projectKey: string, key: string): Promise<Write[]> {
  const current = await findCollaborations(projectKey);
  const promised = current?.modes.flatMap((mode) => namesOfCopies(mode)) ?? [];
  if (current === undefined || !promised.includes(nameOfShared("workflow", key)))
    throw new Error("its mode ended, or its member left");
  return [check(keys.collaborations(projectKey), mustHaveVersion(current.version))];
}

function freeText(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const end = number === 1 ? "" : `-${number}`;
    const text = wanted.slice(0, longestDisplayName - end.length) + end;
    if (!taken.has(text)) return text;
  }
}
