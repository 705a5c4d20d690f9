import { createHash } from "node:crypto";
import { type SealedSecret, seal, unseal } from "../../base/aws/secrets/sealedSecret.ts";
import { mapBounded } from "../../base/common/mapBounded.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { type Credential, mapCredentials } from "../definition/credentials.ts";
import { type WorkflowDefinition, workflowDefinition } from "../definition/definition.ts";
import { maskedValue } from "../definition/script/keyVal.ts";
import { findSealedCredentials, type SealedCredentials } from "./store/workflowCredentials.ts";
import type { VersionedWorkflow, WorkflowSource } from "./store/workflows.ts";

const maxCredentials = 200;
const maxCharacters = 64 * 1024;
const atOnce = 8;

type Of = Pick<VersionedWorkflow, "key" | "workflowId">;

/**
 * Takes the credentials out of a definition: what is stored has `********` in their places. One that was sent as
 * `********` (of a repository: empty, as it is shown) keeps what is stored for its place.
 * @param before what is stored of the definition that this one replaces
 * @param former that definition: what became a credential since it was saved is in it in the clear
 * @throws ApiError 6545 naming a place for which nothing is stored, or too many credentials
 */
export async function takeOutCredentials(
  workflowId: string,
  sent: WorkflowSource,
  before: SealedCredentials = new Map(),
  former: WorkflowSource = {},
): Promise<{ source: WorkflowSource; sealed: SealedCredentials }> {
  const open = openCredentials(former);
  const kept = new Map<string, SealedSecret>();
  const fresh: Credential[] = [];
  const source = mapCredentials(sent, (credential) => {
    const { location, value, isOfRepository } = credential;
    const stored = before.get(location);
    const left = open.get(location);
    if (value !== maskedValue && value !== "") fresh.push(credential);
    else if (stored !== undefined) kept.set(location, stored);
    else if (left !== undefined) fresh.push({ ...credential, value: left });
    else if (isOfRepository) return "";
    else throw refused(location, `${maskedValue} keeps a stored credential, but none is stored here; send its value`);
    return maskedValue;
  });
  requireRoom(fresh, kept.size);
  const sealed = await mapBounded(fresh, atOnce, async ({ location, value }): Promise<[string, SealedSecret]> => {
    return [location, await seal(JSON.stringify(value), ownerOf(workflowId, location))];
  });
  return { source, sealed: new Map([...kept, ...sealed]) };
}

function openCredentials(source: WorkflowSource): Map<string, Credential["value"]> {
  const open = new Map<string, Credential["value"]>();
  mapCredentials(source, ({ location, value }) => {
    if (value !== maskedValue && value !== "") open.set(location, value);
    return value;
  });
  return open;
}

/** The definition with its credentials in place, for what runs its jobs, as `openSource` says. */
export async function openDefinition(workflow: Of & Pick<VersionedWorkflow, "source">): Promise<WorkflowDefinition> {
  return workflowDefinition.parse(await openSource(workflow));
}

/** What was sent, with its credentials in place: nothing of it may be stored in the open, logged or answered. */
export async function openSource(workflow: Of & Pick<VersionedWorkflow, "source">): Promise<WorkflowSource> {
  return openWith(workflow, await findSealedCredentials(workflow.key));
}

/** As `openSource`, with credentials that were kept beside a copy of the source. */
export async function openWith(
  { workflowId, source }: Pick<VersionedWorkflow, "workflowId" | "source">,
  sealed: SealedCredentials,
): Promise<WorkflowSource> {
  const opened = new Map<string, unknown>();
  await mapBounded([...sealed], atOnce, async ([location, secret]) => {
    opened.set(location, JSON.parse(await unseal(secret, ownerOf(workflowId, location))));
  });
  return mapCredentials(source, ({ location, value }) => opened.get(location) ?? value);
}

/** KMS limits the length of what a secret is bound to, and locations have no limit. */
function ownerOf(workflowId: string, location: string) {
  return { record: `workflow:${workflowId}`, field: createHash("sha256").update(location).digest("hex") };
}

function requireRoom(fresh: readonly Credential[], kept: number): void {
  const count = fresh.length + kept;
  if (count > maxCredentials)
    throw new ApiError(6545, `the workflow holds ${count} credentials; at most ${maxCredentials} are allowed`);
  const long = fresh.find(({ value }) => String(value).length > maxCharacters);
  if (long !== undefined) throw refused(long.location, `must have at most ${maxCharacters} characters`);
}

function refused(location: string, problem: string): ApiError {
  const [path] = JSON.parse(location.slice(0, location.lastIndexOf("#"))) as [string[]];
  const place = path.filter((name) => name !== "").join(".");
  return new ApiError(6545, `${place}: ${problem}`, { extra: { problems: [{ in: "body", path: place, problem }] } });
}
