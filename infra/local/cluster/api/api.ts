import { randomBytes, randomUUID } from "node:crypto";
import { sameEntries, trackUpdate, type Writer } from "../apply/managedFields.ts";
import { serverSideApply, typeProblems } from "../apply/serverSideApply.ts";
import { applyDefaults } from "../defaults/defaults.ts";
import {
  type Dict,
  dictAt,
  equal,
  isDict,
  type KubeObject,
  type ManagedFieldsEntry,
  textAt,
  timestamp,
} from "../model/object.ts";
import { decode, type Mismatch } from "../schema/decode.ts";
import { zeroValue } from "../schema/zero.ts";
import { Store } from "../store/store.ts";
import { applySchemaDefaults } from "../validate/schema.ts";
import { validateCreate, validateUpdate } from "../validate/validate.ts";
import { admitCreate } from "./admission.ts";
import {
  ApiError,
  alreadyExists,
  badRequest,
  conflict,
  invalid,
  notFound,
  type StatusCause,
  staleObject,
} from "./errors.ts";
import { prepareCreate, prepareUpdate } from "./prepare.ts";
import { groupVersion, Registry, type Resource } from "./resource.ts";

/** How a write is made: by whom, whether for real, and what happens with unknown fields. */
export interface WriteOptions {
  manager: string;
  dryRun?: boolean;
  fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** Receives warnings for the caller, e.g. about unknown fields. */
  warn?: (text: string) => void;
  subresource?: "status" | "scale";
}

export interface DeleteOptions {
  dryRun?: boolean;
  propagationPolicy?: "Foreground" | "Background" | "Orphan";
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** What the controllers write as. */
export const controllerManager = "kube-controller-manager";

/** The verbs of the API over the store; HTTP handlers and controllers both come through here. */
export class Api {
  readonly store: Store;
  readonly registry = new Registry();

  constructor(storePath: string) {
    this.store = new Store(storePath);
  }

  /** Throws 404 when it is not there. */
  get(resource: Resource, namespace: string, name: string): KubeObject {
    const object = this.store.get(resource.key, namespace, name);
    if (!object) throw notFound(resource, name);
    return object;
  }

  create(resource: Resource, namespace: string, body: unknown, options: WriteOptions): KubeObject {
    const object = this.#read(resource, namespace, body, options);
    this.#nameOf(object, resource);
    return this.#insert(resource, object, options, (stored) =>
      trackUpdate(
        zeroObject(resource),
        stored,
        resource.type,
        [],
        writerOf(resource, options, "Update"),
        resource.status,
        timestamp(),
      ),
    );
  }

  /** Replaces an object; `previous` is what the change was computed from, when it was. */
  update(resource: Resource, namespace: string, name: string, body: unknown, options: WriteOptions): KubeObject {
    const object = this.#read(resource, namespace, body, options);
    if (object.metadata.name !== name) {
      throw badRequest(`the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`);
    }
    const old = this.get(resource, namespace, name);
    checkVersion(resource, object, old);
    const sent = isDict(body) && isDict(body.metadata) ? body.metadata.managedFields : undefined;
    return this.#replace(resource, object, old, options, (next) =>
      trackUpdate(
        old,
        next,
        resource.type,
        entriesFrom(sent, old),
        writerOf(resource, options, "Update"),
        resource.status,
        timestamp(),
      ),
    );
  }

  /** Server-side apply of a configuration: creates or merges. `force` takes fields from other managers. */
  apply(
    resource: Resource,
    namespace: string,
    name: string,
    body: unknown,
    options: WriteOptions & { force: boolean },
  ): { object: KubeObject; created: boolean } {
    const configuration = this.#configuration(resource, name, body);
    const old = this.store.get(resource.key, namespace, name);
    if (!old && options.subresource) throw notFound(resource, name);
    if (!old && configuration.metadata.uid) {
      throw conflict(
        resource,
        name,
        `uid mismatch: the provided object specified uid ${configuration.metadata.uid}, and no existing object was found`,
      );
    }
    if (old) checkVersion(resource, configuration, old);
    const { resourceVersion: _, uid: __, ...metadata } = configuration.metadata;
    const live = old ?? zeroObject(resource, { name, ...(namespace ? { namespace } : {}) });
    const entries = old?.metadata.managedFields ?? [];
    const applied = serverSideApply(
      live,
      { ...configuration, metadata: metadata as KubeObject["metadata"] },
      resource.type,
      entries,
      writerOf(resource, options, "Apply"),
      { force: options.force, hasStatus: resource.status, now: timestamp() },
    );
    const object = this.#read(resource, namespace, applied.object, { ...options, fieldValidation: "Ignore" });
    if (old) {
      return { object: this.#replace(resource, object, old, options, () => applied.entries), created: false };
    }
    return { object: this.#insert(resource, object, options, () => applied.entries), created: true };
  }

  /** Deletes or marks for deletion. Returns the object as it is then, and whether it is gone already. */
  delete(
    resource: Resource,
    namespace: string,
    name: string,
    options: DeleteOptions,
  ): { object: KubeObject; gone: boolean } {
    const object = this.get(resource, namespace, name);
    checkPreconditions(resource, object, options.preconditions);
    const marked = markDeleted(resource, object, options);
    if (!marked) {
      if (!options.dryRun) this.store.remove(resource.key, object);
      return { object, gone: true };
    }
    if (options.dryRun || marked === object) return { object: marked, gone: false };
    return { object: this.store.put(resource.key, marked), gone: false };
  }

  /** Writes a changed object as a controller does: no version check, no validation; status and metadata alike. */
  controllerWrite(resource: Resource, next: KubeObject, subresource?: "status"): KubeObject {
    const old = this.get(resource, next.metadata.namespace ?? "", next.metadata.name);
    const writer = writerOf(
      resource,
      { manager: controllerManager, ...(subresource ? { subresource } : {}) },
      "Update",
    );
    return this.#commit(resource, next, old, false, () =>
      trackUpdate(old, next, resource.type, old.metadata.managedFields ?? [], writer, resource.status, timestamp()),
    );
  }

  /** Decodes a body into an object of the resource, with the checks that come before everything else. */
  #read(resource: Resource, namespace: string, body: unknown, options: WriteOptions): KubeObject {
    checkKind(resource, body);
    const { value, unknown, errors, mismatches } = decode(body, resource.type);
    if (resource.custom && mismatches.length > 0) {
      throw invalid(resource, textAt(body, "metadata", "name"), mismatches.map(typeProblem));
    }
    const what = `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}`;
    if (errors[0]) throw badRequest(`${what}: ${errors[0]}`);
    const fields = unknown.map((field) => `unknown field ${JSON.stringify(field)}`);
    if (fields.length > 0 && options.fieldValidation === "Strict") {
      throw badRequest(`${what}: strict decoding error: ${fields.join(", ")}`);
    }
    if (options.fieldValidation === "Warn") for (const text of fields) options.warn?.(text);
    const object = value as KubeObject;
    object.apiVersion = groupVersion(resource);
    object.kind = resource.kind;
    if (!isDict(object.metadata)) object.metadata = {} as KubeObject["metadata"];
    if (resource.namespaced) {
      if (object.metadata.namespace && object.metadata.namespace !== namespace) {
        throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
      }
      object.metadata.namespace = namespace;
    } else delete object.metadata.namespace;
    return object;
  }

  #configuration(resource: Resource, name: string, body: unknown): KubeObject {
    checkKind(resource, body, true);
    const object = body as KubeObject;
    const namespaceSent = textAt(object, "metadata", "namespace");
    const where = `(${namespaceSent}/${name}; ${resource.group}/${resource.version}, Kind=${resource.kind})`;
    const problems = typeProblems(body, resource.type);
    if (problems.length > 0) {
      const text = problems.length === 1 ? problems[0] : `errors:\n${problems.map((line) => `  ${line}`).join("\n")}`;
      throw new ApiError(500, "", `failed to create typed patch object ${where}: ${text}`);
    }
    const metadata = isDict(object.metadata) ? object.metadata : ({} as KubeObject["metadata"]);
    if (metadata.managedFields?.length) throw badRequest("metadata.managedFields must be nil");
    if (metadata.name && metadata.name !== name) {
      throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
    }
    const { managedFields: _, ...rest } = metadata;
    return { ...object, metadata: { ...rest, name } };
  }

  #nameOf(object: KubeObject, resource: Resource): void {
    const { metadata } = object;
    if (metadata.name || !metadata.generateName) return;
    do {
      metadata.name = `${metadata.generateName.slice(0, 58)}${suffix()}`;
    } while (this.store.get(resource.key, metadata.namespace ?? "", metadata.name));
  }

  #insert(
    resource: Resource,
    object: KubeObject,
    options: WriteOptions,
    entriesOf: (object: KubeObject) => ManagedFieldsEntry[],
  ): KubeObject {
    const { metadata } = object;
    admitCreate(this.store, resource, object);
    if (metadata.name && this.store.get(resource.key, metadata.namespace ?? "", metadata.name)) {
      throw alreadyExists(resource, metadata.name);
    }
    if (metadata.resourceVersion) {
      throw new ApiError(500, "", "resourceVersion should not be set on objects to be created");
    }
    metadata.uid = randomUUID();
    metadata.creationTimestamp = timestamp();
    for (const field of ["deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"])
      delete metadata[field];
    if (resource.custom) applySchemaDefaults(object, resource.type);
    applyDefaults(resource.key, object);
    // What the server itself fills in below has no manager.
    const entries = entriesOf(object);
    prepareCreate(this.store, resource, object);
    const problems = validateCreate(resource, object);
    if (problems.length > 0) throw invalid(resource, metadata.name, problems);
    metadata.managedFields = entries;
    if (metadata.managedFields.length === 0) delete metadata.managedFields;
    if (options.dryRun) return object;
    return this.store.put(resource.key, object);
  }

  #replace(
    resource: Resource,
    object: KubeObject,
    old: KubeObject,
    options: WriteOptions,
    entriesOf: (object: KubeObject) => ManagedFieldsEntry[],
  ): KubeObject {
    if (resource.custom) applySchemaDefaults(object, resource.type);
    applyDefaults(resource.key, object);
    const next = prepareUpdate(this.store, resource, object, old, options.subresource);
    if (options.subresource !== "status") {
      const problems = validateUpdate(resource, next, old);
      if (problems.length > 0) throw invalid(resource, next.metadata.name, problems);
    }
    return this.#commit(resource, next, old, options.dryRun === true, () => entriesOf(next));
  }

  #commit(
    resource: Resource,
    next: KubeObject,
    old: KubeObject,
    dryRun: boolean,
    entriesOf: () => ManagedFieldsEntry[],
  ): KubeObject {
    const entries = entriesOf();
    const { managedFields: _, ...metadata } = next.metadata;
    const { managedFields: before = [], ...oldMetadata } = old.metadata;
    // As the server does, the time alone of a manager's entry is no change.
    if (sameEntries(entries, before) && equal({ ...next, metadata }, { ...old, metadata: oldMetadata })) return old;
    const finished: KubeObject = {
      ...next,
      metadata: { ...metadata, ...(entries.length > 0 ? { managedFields: entries } : {}) } as KubeObject["metadata"],
    };
    if (dryRun) return finished;
    if (finished.metadata.deletionTimestamp && !finished.metadata.finalizers?.length && canVanish(resource, finished)) {
      this.store.remove(resource.key, finished);
      return finished;
    }
    return this.store.put(resource.key, finished);
  }
}

/** Whether an object marked for deletion goes as soon as its finalizers are gone; pods and namespaces wait for more. */
function canVanish(resource: Resource, object: KubeObject): boolean {
  if (resource.key === "namespaces") return false;
  return resource.key !== "pods" || object.metadata.deletionGracePeriodSeconds === 0;
}

/** A value of the wrong type, as custom resources report it. */
function typeProblem({ path, expected, found }: Mismatch): StatusCause {
  const shown = JSON.stringify(found);
  const message = `Invalid value: ${shown}: ${path} in body must be of type ${expected}: ${shown}`;
  return { reason: "FieldValueTypeInvalid", message, field: path };
}

function checkKind(resource: Resource, body: unknown, strict = false): void {
  if (!isDict(body)) throw badRequest("the body must be a JSON object");
  const expected = groupVersion(resource);
  const kind = textAt(body, "kind");
  const version = textAt(body, "apiVersion");
  if (strict && !kind) throw badRequest(`invalid object type: ${version || "/"}, Kind=`);
  if (kind && kind !== resource.kind) {
    throw badRequest(
      `${kind} in version ${JSON.stringify(version || expected)} cannot be handled as a ${resource.kind}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version || expected)} in scheme`,
    );
  }
  if (version && version !== expected) {
    throw badRequest(`the API version in the data (${version}) does not match the expected API version (${expected})`);
  }
}

function checkVersion(resource: Resource, object: KubeObject, old: KubeObject): void {
  const { uid, resourceVersion } = object.metadata;
  if (uid && uid !== old.metadata.uid) {
    throw conflict(
      resource,
      old.metadata.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
    );
  }
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion)
    throw staleObject(resource, old.metadata.name);
}

function checkPreconditions(resource: Resource, object: KubeObject, wanted: DeleteOptions["preconditions"]): void {
  const { uid, resourceVersion, name } = object.metadata;
  const named = { ...resource, group: "", plural: resource.kind };
  if (wanted?.uid && wanted.uid !== uid) {
    const why = `the UID in the precondition (${wanted.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(named, name, why);
  }
  if (wanted?.resourceVersion && wanted.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${wanted.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(named, name, why);
  }
}

/** The object marked for deletion, or undefined when nothing holds it back. */
function markDeleted(resource: Resource, object: KubeObject, options: DeleteOptions): KubeObject | undefined {
  const finalizers = new Set(object.metadata.finalizers ?? []);
  if (options.propagationPolicy === "Foreground") finalizers.add("foregroundDeletion");
  if (options.propagationPolicy === "Orphan") finalizers.add("orphan");
  const grace = graceOf(resource, object, options.gracePeriodSeconds);
  if (finalizers.size === 0 && grace === undefined) return undefined;
  if (object.metadata.deletionTimestamp) {
    const shorter = grace !== undefined && grace < (object.metadata.deletionGracePeriodSeconds ?? 0);
    if (!shorter && finalizers.size === (object.metadata.finalizers?.length ?? 0)) return object;
  }
  const seconds = grace ?? 0;
  const at = object.metadata.deletionTimestamp ?? timestamp(new Date(Date.now() + seconds * 1_000));
  const { finalizers: _finalizers, ...metadata } = object.metadata;
  const marked: KubeObject = {
    ...object,
    metadata: {
      ...metadata,
      ...(finalizers.size > 0 ? { finalizers: [...finalizers] } : {}),
      deletionTimestamp: at,
      deletionGracePeriodSeconds: seconds,
      ...(metadata.generation ? { generation: metadata.generation + 1 } : {}),
    } as KubeObject["metadata"],
  };
  if (resource.key === "namespaces" || resource.key === "customresourcedefinitions.apiextensions.k8s.io") {
    // Both have a way of their own of being deleted, without grace and without a new generation.
    const { deletionGracePeriodSeconds: _, ...rest } = marked.metadata;
    marked.metadata = {
      ...rest,
      ...(metadata.generation ? { generation: metadata.generation } : {}),
    } as KubeObject["metadata"];
  }
  if (resource.key === "namespaces") {
    marked.status = { ...dictAt(object, "status"), phase: "Terminating" };
  }
  return marked;
}

/** Pods on a node and namespaces are not removed at once; undefined means that nothing waits. */
function graceOf(resource: Resource, object: KubeObject, asked: number | undefined): number | undefined {
  if (resource.key === "namespaces") return 0;
  if (resource.key !== "pods" || asked === 0) return undefined;
  const spec = dictAt(object, "spec");
  const phase = textAt(object, "status", "phase");
  if (!spec.nodeName || phase === "Succeeded" || phase === "Failed") return undefined;
  const own = typeof spec.terminationGracePeriodSeconds === "number" ? spec.terminationGracePeriodSeconds : 30;
  return asked ?? own;
}

function writerOf(resource: Resource, options: WriteOptions, operation: "Apply" | "Update"): Writer {
  return {
    manager: options.manager,
    operation,
    apiVersion: groupVersion(resource),
    ...(options.subresource ? { subresource: options.subresource } : {}),
  };
}

/** What managedFields an update starts from: those it sends, none when it resets them, else the live ones. */
function entriesFrom(sent: unknown, old: KubeObject): ManagedFieldsEntry[] {
  if (Array.isArray(sent) && sent.length === 1 && isDict(sent[0]) && Object.keys(sent[0]).length === 0) return [];
  if (Array.isArray(sent) && sent.length > 0 && sent.every((entry) => isDict(entry) && isDict(entry.fieldsV1))) {
    return sent as ManagedFieldsEntry[];
  }
  return old.metadata.managedFields ?? [];
}

/** The empty object of a kind as the typed server compares with: structs by value are there, required lists are null. */
function zeroObject(resource: Resource, metadata: Dict = {}): Dict {
  const zero = zeroValue(resource.type);
  return { ...(isDict(zero) ? zero : {}), metadata };
}

function suffix(): string {
  const letters = "bcdfghjklmnpqrstvwxz2456789";
  return [...randomBytes(5)].map((byte) => letters[byte % letters.length]).join("");
}
