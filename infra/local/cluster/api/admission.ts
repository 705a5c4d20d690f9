import { type KubeObject, textAt } from "../model/object.ts";
import type { Store } from "../store/store.ts";
import { forbidden, notFound } from "./errors.ts";
import { builtIn, type Resource } from "./resource.ts";

const namespaces = builtIn.find((resource) => resource.key === "namespaces") as Resource;

/** Refuses what may not be created: in a namespace that is missing (404) or going away (403). */
export function admitCreate(store: Store, resource: Resource, object: KubeObject): void {
  const namespace = object.metadata.namespace;
  if (!resource.namespaced || !namespace) return;
  const found = store.get("namespaces", "", namespace);
  if (!found) throw notFound(namespaces, namespace);
  if (textAt(found, "status", "phase") !== "Terminating") return;
  throw forbidden(
    resource,
    object.metadata.name ?? "",
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  );
}
