import type { CallOptions, ClusterClient, ClusterVersion, LiveObject, ObjectRef } from "./ClusterClient.ts";
import { type ClusterAccess, resolveAccess } from "./clusterAccess.ts";
import { createDiscovery } from "./discovery.ts";
import { ClusterAnswerUnreadable, ClusterConflict, ClusterNotFound } from "./errors.ts";
import { listPages } from "./listPages.ts";
import { callObject, type ObjectCall } from "./objectCall.ts";
import { refOf } from "./objectRef.ts";
import { podLog } from "./podLog.ts";
import { watchKind } from "./watchKind.ts";
import { readStatus } from "./wire/statusError.ts";
import { createTransport, type TransportOptions } from "./wire/transport.ts";

const patchTypes = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
} as const;
const metadataObject = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

/**
 * A client for a cluster. Nothing is sent before the first call, so that wrong credentials show there.
 * HTTP is our own: the library's opens a new connection for every request and drops fields its models do not know.
 */
export function connect(access: ClusterAccess, options: TransportOptions = {}): ClusterClient {
  const transport = createTransport(() => resolveAccess(access), options);
  const discovery = createDiscovery(transport);
  const call = (ref: ObjectRef, what: ObjectCall, limits: CallOptions) =>
    callObject(transport, discovery, ref, what, limits);

  return {
    address: addressOf(access),

    async version(limits = {}) {
      const { body } = await transport.send({
        what: "read version",
        verb: "version",
        method: "GET",
        path: "/version",
        ...limits,
      });
      if (isVersion(body)) return body;
      throw new ClusterAnswerUnreadable("read version: no Kubernetes version came back; check the server address");
    },

    async apply(object, { force, dryRun, fieldManager = "slipway", metadataOnly, ...limits } = {}) {
      const query = {
        fieldManager,
        force: flag(force, "true"),
        dryRun: flag(dryRun, "All"),
        // An apply refuses unknown fields anyway; a tenth of the server's work would go into unread warnings.
        fieldValidation: "Ignore",
      };
      const contentType = "application/apply-patch+yaml";
      const ref = refOf(object);
      const accept = metadataOnly === true ? { accept: metadataObject } : {};
      const answer = await call(
        ref,
        { verb: "apply", method: "PATCH", query, body: object, contentType, ...accept },
        limits,
      );
      // An answer with metadata alone names a kind of its own.
      const { apiVersion, kind } = object;
      return { object: { ...objectIn(answer.body), apiVersion, kind }, created: answer.created };
    },

    async create(object, { dryRun, ...limits } = {}) {
      const query = { fieldManager: "slipway", dryRun: flag(dryRun, "All") };
      return objectIn(
        (await call(refOf(object), { verb: "create", method: "POST", query, body: object }, limits)).body,
      );
    },

    async get(ref, limits = {}) {
      return objectIn((await call(ref, { verb: "get", method: "GET" }, limits)).body);
    },

    list: (kind, query = {}) => listPages(transport, discovery, kind, query),

    async patch(ref, { type, body }, { dryRun, ...limits } = {}) {
      const query = { fieldManager: "slipway", dryRun: flag(dryRun, "All") };
      const contentType = patchTypes[type];
      return objectIn((await call(ref, { verb: "patch", method: "PATCH", query, body, contentType }, limits)).body);
    },

    async remove(ref, { propagation = "Background", uid, gracePeriodSeconds, dryRun, ...limits } = {}) {
      const body = {
        apiVersion: "v1",
        kind: "DeleteOptions",
        propagationPolicy: propagation,
        ...(uid !== undefined && { preconditions: { uid } }),
        ...(dryRun === true && { dryRun: ["All"] }),
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      };
      try {
        const left = (await call(ref, { verb: "delete", method: "DELETE", body }, limits)).body;
        return readStatus(left) === undefined && isHeld(objectIn(left)) ? "removing" : "removed";
      } catch (error) {
        if (error instanceof ClusterNotFound) return "absent";
        // The uid precondition failed: the object that is there now is another one of the same name.
        if (error instanceof ClusterConflict && uid !== undefined) return "absent";
        throw error;
      }
    },

    watch: (kind, query = {}) =>
      watchKind(
        {
          list: (listQuery) => listPages(transport, discovery, kind, listQuery),
          open: async (parameters, signal) =>
            transport.open({
              what: `watch ${kind.kind}`,
              verb: "watch",
              method: "GET",
              path: await discovery.path(kind, { namespace: query.namespace }),
              query: parameters,
              ...(query.metadataOnly === true && { accept: metadataObject }),
              ...(signal && { signal }),
            }),
        },
        kind,
        query,
      ),

    podLog: (pod, query) => podLog(transport, discovery, pod, query),

    resource: (kind, limits) => discovery.resource(kind, limits),

    forward: (request) => transport.forward(request),

    close: () => transport.close(),
  };
}

function flag(set: boolean | undefined, value: string): string | undefined {
  return set === true ? value : undefined;
}

function objectIn(body: LiveObject | object): LiveObject {
  if ("apiVersion" in body && "metadata" in body && readStatus(body) === undefined) return body;
  throw new ClusterAnswerUnreadable("the cluster's answer has no object");
}

/** A pod in its grace period, or an object with finalizers, stays after the delete was accepted. */
function isHeld({ metadata }: LiveObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isVersion(body: unknown): body is ClusterVersion {
  return typeof body === "object" && body !== null && "gitVersion" in body && typeof body.gitVersion === "string";
}

function addressOf(access: ClusterAccess): string {
  if (access.kind === "endpoint") return access.endpoint.server.origin;
  return access.kind === "eks" ? `eks:${access.region}/${access.clusterName}` : "kubeconfig";
}
