import { noteVisit } from "../../collaborations/noteVisit.ts";
import { type EnvironmentRecord, findEnvironment } from "../../environments/store/environments.ts";
import { ApiError } from "../../errors/apiError.ts";
import { noGrants } from "../../identity/rules/grants.ts";
import { type Permission, refusal, type Scope } from "../../identity/rules/permission.ts";
import { loadCaller } from "../../identity/session/loadCaller.ts";
import type { Caller, Middleware } from "../exchange.ts";
import { mutates } from "../route.ts";

const nobody: Caller = { uid: "", account: "", name: "", identityType: "", grants: noGrants };

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
      const [caller, environment] = await Promise.all([
        loadCaller(bearer, reachOf(route.permission, scope)),
        decidingEnvironment(route.permission, scope),
      ]);
      internal.caller = caller;
      if (environment !== undefined) {
        internal.environment = environment;
        internal.scope = { ...scope, production: environment.production };
      }
      const action = { permission: route.permission, mutates: mutates(route) };
      if (refusal(action, caller, internal.scope) === undefined) return await noteVisit(scope.projectKey, caller);
      // A project that was looked up is not told to whom it does not concern.
      const isLookedUp = route.scope.projectOf === "workflow";
      const told = isLookedUp ? { ...internal.scope, projectKey: "" } : internal.scope;
      throw new ApiError(403, refusal(action, caller, told) ?? "nobody may do this");
    },
  };
}

/** How much of what the caller holds the decision needs; collaboration modes are read where they can decide. */
function reachOf(permission: Permission, { projectKey }: Scope): Parameters<typeof loadCaller>[1] {
  const { kind } = permission;
  if (kind === "anyRole" || (kind === "filtered" && projectKey === undefined)) return "everywhere";
  const isShared = permission.kind === "verb" && permission.collaboration !== undefined;
  return { projectKey, withModes: isShared || kind === "member" || kind === "filtered" };
}

/**
 * Where the environment's kind decides the verb it is read before anything is decided, and whoever calls: a refusal
 * costs the same whether the environment exists or not (decisions 3.5).
 */
async function decidingEnvironment(permission: Permission, scope: Scope): Promise<EnvironmentRecord | undefined> {
  if (permission.kind !== "verb" || permission.productionVerbs === undefined) return undefined;
  return findEnvironment(scope.projectKey ?? "", scope.environment ?? "");
}
