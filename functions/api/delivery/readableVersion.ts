import type { ProjectAction } from "../../../shared/access/identity/rules/actions.ts";
import { refusal } from "../../../shared/access/identity/rules/permission.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { findWholeVersion, versionMissing, type WholeVersion } from "../../../shared/delivery/store/versions.ts";
import { callerIn } from "../../../shared/http/callerIn.ts";
import type { Caller } from "../../../shared/http/exchange.ts";

/**
 * A version that the caller may read: by get_delivery in its project or release_get in the system (contract I 13.6). Who
 * holds nothing in the project is told the same as of one that does not exist.
 * @param projectKey as the request names it, when it does
 * @throws ApiError 404, 403
 */
export async function readableVersion(
  caller: Caller,
  versionId: string,
  projectKey: string | undefined,
): Promise<WholeVersion> {
  const whole = await findWholeVersion(versionId, { consistent: false });
  if (whole === undefined) throw versionMissing(versionId);
  const { projectKey: own } = whole.version;
  if (projectKey !== undefined && projectKey !== own) throw versionMissing(versionId);
  await requireReader(caller, own, versionId);
  return whole;
}

/**
 * A version that the caller may deploy, as far as it is about the version: by get_delivery in the project of the request
 * (decisions 14.11).
 * @throws ApiError 404, 403
 */
export async function deployableVersion(caller: Caller, versionId: string, projectKey: string): Promise<WholeVersion> {
  const whole = await findWholeVersion(versionId);
  if (whole?.version.projectKey !== projectKey) throw versionMissing(versionId);
  const permission = { kind: "verb", verbs: ["get_delivery"] } as const;
  const refused = refusal({ permission, mutates: false }, caller, { projectKey });
  if (refused !== undefined) throw new ApiError(403, refused);
  return whole;
}

/**
 * Who may list the versions of a project, or of all of them when it is empty.
 * @throws ApiError 403
 */
export async function requireListReader(caller: Caller, projectKey: string): Promise<void> {
  const ofAll = refusalOfAll(caller);
  if (ofAll === undefined) return;
  if (projectKey === "") throw new ApiError(403, ofAll);
  const { refused } = await refusalThere(caller, projectKey, ["get_delivery"], false);
  if (refused !== undefined) throw new ApiError(403, refused);
}

function refusalOfAll(caller: Caller): string | undefined {
  const permission = { kind: "systemVerb", verb: "release_get" } as const;
  return refusal({ permission, mutates: false }, caller, {});
}

async function requireReader(caller: Caller, projectKey: string, versionId: string): Promise<void> {
  if (refusalOfAll(caller) === undefined) return;
  const { held, refused } = await refusalThere(caller, projectKey, ["get_delivery"], false);
  if (refused === undefined) return;
  throw held ? new ApiError(403, refused) : versionMissing(versionId);
}

/** A decision in a project that the request does not name. */
async function refusalThere(caller: Caller, projectKey: string, verbs: readonly ProjectAction[], mutates: boolean) {
  const there = await callerIn(caller, projectKey, { withModes: false });
  const refused = refusal({ permission: { kind: "verb", verbs }, mutates }, there, { projectKey });
  return { refused, held: there.grants.projects.has(projectKey) };
}
