import { copiesOf } from "../../access/identity/rules/collaboration.ts";
import { type Grants, noGrants } from "../../access/identity/rules/grants.ts";
import { admitsProjectAdmins, type Permission, refusal, type Scope } from "../../access/identity/rules/permission.ts";
import { type CallerReach, readCaller } from "../../access/identity/session/readCaller.ts";
import { findCollaborations, type StoredMode, saveCollaborations } from "../../access/identity/store/collaborations.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { type EnvironmentRecord, findEnvironment } from "../../environments/store/environments.ts";
import { freezesIn } from "../../projects/freezes/store/freezes.ts";
import type { Caller, Middleware } from "../exchange.ts";
import { mutates, type Route } from "../route.ts";

/** Days are counted, so a visit in an hour is enough. */
const secondsBetweenNotes = 3600;

/**
 * Notes that a member was in the project, where a collaboration mode gave copies that go without visits (contract
 * I 8.3). What another write was in the way of is noted at the next request.
 */
async function noteVisit(
  projectKey: string | undefined,
  { uid, grants }: { uid: string; grants: Grants },
): Promise<void> {
  const now = nowSeconds();
  const isOld = (visitedAt: number | undefined) => visitedAt !== undefined && visitedAt + secondsBetweenNotes <= now;
  const isNews = grants.collaborations.some((grant) => grant.projectKey === projectKey && isOld(grant.visitedAt));
  if (projectKey === undefined || !isNews) return;
  const before = await findCollaborations(projectKey);
  if (before === undefined) return;
  const modes = before.modes.map((mode) => withVisit(mode, uid, now));
  await tryWrite(table().write(saveCollaborations(projectKey, before, { modes, leaving: before.leaving })));
}

function withVisit(mode: StoredMode, uid: string, visitedAt: number): StoredMode {
  const own = [...copiesOf(mode, uid)].map(([base, copy]) => [base, { ...copy, visitedAt }] as const);
  return own.length === 0 ? mode : { ...mode, copies: { ...mode.copies, [uid]: Object.fromEntries(own) } };
}

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
        readCaller(bearer, reachOf(route, scope)),
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
