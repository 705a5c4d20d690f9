import { noteVisit } from "../../collaborations/noteVisit.ts";
import { type EnvironmentRecord, findEnvironment } from "../../environments/store/environments.ts";
import { ApiError } from "../../errors/apiError.ts";
import { freezesIn } from "../../freezes/store/freezes.ts";
import { noGrants } from "../../identity/rules/grants.ts";
import { admitsProjectAdmins, type Permission, refusal, type Scope } from "../../identity/rules/permission.ts";
import { type CallerReach, loadCaller } from "../../identity/session/loadCaller.ts";
import { keys } from "../../store/keys.ts";
import type { Caller, Middleware } from "../exchange.ts";
import { mutates, type Route } from "../route.ts";

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
      const [{ caller, besides }, environment] = await Promise.all([
        loadCaller(bearer, reachOf(route, scope)),
        decidingEnvironment(route.permission, scope),
      ]);
      internal.caller = { ...caller, ...(bearer.endsAt !== undefined && { tokenEndsAt: bearer.endsAt }) };
      internal.freezes = freezesIn(besides);
      if (environment !== undefined) {
        internal.environment = environment;
        internal.scope = { ...scope, production: environment.production };
      }
      if (bearer.mustEnrol && !route.enrols) throw mustEnrolFirst();
      const action = { permission: route.permission, mutates: mutates(route) };
      if (refusal(action, caller, internal.scope) === undefined) return await noteVisit(scope.projectKey, caller);
      // A project that was looked up is not told to whom it does not concern.
      const isLookedUp = route.scope.projectOf === "workflow";
      const told = isLookedUp ? { ...internal.scope, projectKey: "" } : internal.scope;
      throw new ApiError(403, refusal(action, caller, told) ?? "nobody may do this");
    },
  };
}

/** Who has to enrol a second factor may do nothing else, whatever the user's roles and the endpoint's permission are. */
function mustEnrolFirst(): ApiError {
  return new ApiError(
    403,
    "this system demands a second factor of you: enrol one (POST /openapi/users/:uid/mfa) before anything else, or sign in again with a code",
    { extra: { mfa_required: true, required_action: "enroll" } },
  );
}

/** How much of what the caller holds the decision needs; collaboration modes are read where they can decide. */
function reachOf({ permission, freeze }: Route, { projectKey }: Scope): CallerReach {
  const { kind } = permission;
  const looksEverywhere = kind === "anyRole" || admitsProjectAdmins(permission);
  if (looksEverywhere || (kind === "filtered" && projectKey === undefined)) return "everywhere";
  const isShared = permission.kind === "verb" && permission.collaboration !== undefined;
  const besides = typeof freeze === "function" ? [keys.freezes()] : [];
  return { projectKey, withModes: isShared || kind === "member" || kind === "filtered", besides };
}

/**
 * Where the environment's kind decides the verb, it is read before anything is decided, and for every caller: a refusal
 * costs the same whether the environment exists or not (decisions 3.5).
 */
async function decidingEnvironment(permission: Permission, scope: Scope): Promise<EnvironmentRecord | undefined> {
  if (permission.kind !== "verb" || permission.productionVerbs === undefined) return undefined;
  if (scope.production !== undefined) return undefined;
  return findEnvironment(scope.projectKey ?? "", scope.environment ?? "");
}
