import { adoptableManagers } from "../../kube/apply/adoptFields.ts";
import type { ApplyRequest } from "../../kube/apply/applyObjects.ts";
import { isPersonal } from "../../kube/drift/personalManager.ts";
import type { Change } from "../store/changes.ts";

interface AskedForce extends Pick<Change, "adoptManagers"> {
  adopt?: boolean | undefined;
  reset?: boolean | undefined;
}

/** How far a change takes over what others hold: creating and adding do so only when they adopt. */
export function forces({
  kind,
  adopt = false,
  reset = false,
  adoptManagers = [],
}: Pick<Change, "kind"> & AskedForce): Required<Pick<ApplyRequest, "force" | "takes">> {
  const takes = adoptableManagers(adoptManagers);
  return {
    force: kind === "update" || adopt,
    takes: reset ? (manager) => takes(manager) || isPersonal(manager) : takes,
  };
}
