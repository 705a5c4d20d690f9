import type { KubeObject } from "../../manifest/parseManifest.ts";
import { at } from "../../manifest/workloads.ts";
import type { Applied, CallOptions, ClusterClient, LiveObject } from "../client/ClusterClient.ts";
import { ClusterInvalid, ClusterRefused } from "../client/errors.ts";
import { findObject } from "../client/findObject.ts";
import { refOf } from "../client/objectRef.ts";
import { kindKey } from "../objectKey.ts";
import { clusterScopeProblem } from "../scopeRules.ts";
import { adoptableManagers, adoptFields, holdsAdoptable } from "./adoptFields.ts";
import type { ApplyRequest } from "./applyObjects.ts";
import { type ObjectAction, versionMark } from "./applyResult.ts";
import { contentHash } from "./contentHash.ts";
import { isUnnamedRefusal, namingImmutable } from "./immutableFields.ts";
import { contentHashAnnotation, fieldManager } from "./marks.ts";
import type { PreparedObject } from "./prepareObjects.ts";
import { removeAndWait } from "./removeAndWait.ts";
import { waitForObjects } from "./waitForObjects.ts";

const serviceAccountSeconds = 10;

/**
 * Applies one object unless the cluster holds it unchanged.
 * @param live the object as it was listed; where the apply is forced, whatever its owner
 */
export async function applyOne(
  client: ClusterClient,
  one: PreparedObject,
  live: LiveObject | undefined,
  request: Pick<ApplyRequest, "recorded" | "force" | "dryRun" | "scope" | "signal" | "takes">,
): Promise<{ action: ObjectAction; object: LiveObject }> {
  const { recorded, force, dryRun = false, takes = adoptableManagers() } = request;
  const call: CallOptions = request.signal === undefined ? {} : { signal: request.signal };
  const sameContent = live?.metadata.annotations?.[contentHashAnnotation] === one.hash;
  const held = live !== undefined && live.metadata.deletionTimestamp === undefined ? live : undefined;
  const takesNothing = held === undefined || !force || !holdsAdoptable(held, takes);
  if (held !== undefined && sameContent && takesNothing && recorded[one.key] === versionMark(held))
    return { action: "unchanged", object: held };
  const object = await placed(client, one, request.scope.clusterKinds);
  // A Job's template cannot be changed, so one with other content makes room for it.
  const replaced = kindKey(one.ref) === "Job.batch" && live !== undefined && !sameContent;
  if (dryRun) {
    // The server could only answer that the existing Job cannot be changed.
    if (replaced) return { action: "changed", object: live };
    const preview = await client.apply(object, { force, dryRun, ...call });
    const action = preview.created
      ? "created"
      : sameContent
        ? await previewAction(client, preview.object, call)
        : "changed";
    return { action, object: preview.object };
  }
  if (replaced) await removeAndWait(client, refOf(live), live.metadata.uid, call);
  else if (held !== undefined) {
    const ours = takesNothing ? held : await adoptFields(client, held, takes, call);
    if (one.autoscaled) await handOverReplicas(client, ours, call);
  }
  const applied = await explaining(client, object, call, () =>
    applyWithAccount(client, object, { force, metadataOnly: true, ...call }),
  );
  return { action: actionOf(applied, held, replaced), object: applied.object };
}

/** Names the fields that cannot be changed, where the API server does not. */
async function explaining<T>(
  client: ClusterClient,
  object: KubeObject,
  call: CallOptions,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ClusterInvalid)) throw error;
    const before = isUnnamedRefusal(error.message) ? await findObject(client, refOf(object), call) : undefined;
    throw new ClusterInvalid(namingImmutable(error.message, before, object), error.status);
  }
}

/** Whether applying content that is recorded as applied would still change the live object, because others touched it. */
async function previewAction(client: ClusterClient, preview: LiveObject, call: CallOptions): Promise<ObjectAction> {
  const live = await client.get(refOf(preview), call);
  return sameFields(live, preview) ? "unchanged" : "changed";
}

function sameFields(a: LiveObject, b: LiveObject): boolean {
  const fields = ({ status: _status, metadata, ...rest }: LiveObject) => {
    const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...kept } = metadata;
    return contentHash({ ...rest, metadata: kept });
  };
  return fields(a) === fields(b);
}

function actionOf(applied: Applied, held: LiveObject | undefined, replaced: boolean): ObjectAction {
  if (replaced) return "changed";
  if (applied.created) return "created";
  // Another client changed the object, but nothing that we set.
  const same = held !== undefined && held.metadata.resourceVersion === applied.object.metadata.resourceVersion;
  return same ? "unchanged" : "changed";
}

/** Settles where an object goes whose kind the cluster did not serve when it was prepared. */
async function placed(
  client: ClusterClient,
  one: PreparedObject,
  allowed: readonly string[] | undefined,
): Promise<KubeObject> {
  if (one.namespaced !== undefined) return one.object;
  if ((await client.resource(one.ref)).namespaced) return one.object;
  const problem = clusterScopeProblem(one.ref, allowed);
  if (problem !== undefined) throw new ClusterInvalid(problem, 422);
  const { namespace: _none, ...metadata } = one.object.metadata;
  return { ...one.object, metadata };
}

/** A bare pod in a new namespace is refused until the controller has made its service account: that is waited for. */
async function applyWithAccount(
  client: ClusterClient,
  object: KubeObject,
  options: CallOptions & { force: boolean; metadataOnly: boolean },
): Promise<Applied> {
  try {
    return await client.apply(object, options);
  } catch (error) {
    const account = error instanceof ClusterRefused && /serviceaccount "([^"]+)" not found/.exec(error.message)?.[1];
    if (!account || object.kind !== "Pod") throw error;
    const query = {
      namespace: object.metadata.namespace,
      fieldSelector: `metadata.name=${account}`,
      metadataOnly: true,
    };
    const limits = { deadlineSeconds: serviceAccountSeconds, signal: options.signal };
    const kind = { apiVersion: "v1", kind: "ServiceAccount" };
    if (!(await waitForObjects(client, kind, query, (objects) => objects.size > 0, limits))) throw error;
    return client.apply(object, options);
  }
}

/**
 * Keeps the replicas of a workload that an autoscaler takes over: a field that its only manager stops applying falls
 * back to its default, so another manager holds the live number until the autoscaler writes its own.
 */
async function handOverReplicas(client: ClusterClient, live: LiveObject, call: CallOptions): Promise<void> {
  const ours = live.metadata.managedFields?.some(
    ({ manager, operation, fieldsV1 }) =>
      manager === fieldManager && operation === "Apply" && at(fieldsV1, ["f:spec", "f:replicas"]) !== undefined,
  );
  if (ours !== true) return;
  const ref = refOf(live);
  const replicas = at(await client.get(ref, call), ["spec", "replicas"]);
  if (typeof replicas !== "number") return;
  const { apiVersion, kind, name, namespace } = ref;
  const metadata = namespace === undefined ? { name } : { name, namespace };
  await client.apply({ apiVersion, kind, metadata, spec: { replicas } }, { fieldManager: "slipway-replicas", ...call });
}
