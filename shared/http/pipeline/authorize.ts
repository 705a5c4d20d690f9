import { loadCaller } from "../../auth/loadCaller.ts";
import { ApiError } from "../../domain/errors/apiError.ts";
import { noGrants } from "../../domain/identity/grants.ts";
import { refusal } from "../../domain/identity/permission.ts";
import type { Caller, Middleware } from "../exchange.ts";

const nobody: Caller = { uid: "", account: "", name: "", grants: noGrants };

/** Loads what the caller holds and decides (contract I 4.2): 403 names the missing permission. */
export function authorize(): Middleware {
  return {
    before: async ({ internal }) => {
      const { route, bearer, scope } = internal;
      if (route === undefined) return;
      if (bearer === undefined) {
        internal.caller = nobody;
        return;
      }
      const { kind } = route.permission;
      const everywhere = kind === "anyRole" || (kind === "filtered" && scope.projectKey === undefined);
      internal.caller = await loadCaller(bearer, everywhere ? "everywhere" : { projectKey: scope.projectKey });
      const refused = refusal(route.permission, internal.caller, scope);
      if (refused !== undefined) throw new ApiError(403, refused);
    },
  };
}
