import { at, dictAt, type KubeObject, textAt } from "../model/object.ts";
import { type Cluster, type Controller, keyOf } from "./controller.ts";

/** Binds each claim to a volume of its own at once; the volume goes with the claim. */
export function claimController(cluster: Cluster): Controller {
  return {
    name: "claim",
    watches: {
      persistentvolumeclaims: (claim) => [keyOf(claim)],
      persistentvolumes: (volume) => {
        const { namespace, name } = dictAt(volume, "spec", "claimRef");
        return typeof name === "string" ? [`${namespace}/${name}`] : [];
      },
    },
    reconcile(namespace, name) {
      const claim = cluster.get("persistentvolumeclaims", namespace, name);
      if (!claim) release(cluster, namespace, name);
      else if (!claim.metadata.deletionTimestamp && textAt(claim, "status", "phase") !== "Bound") bind(cluster, claim);
      return undefined;
    },
  };
}

function bind(cluster: Cluster, claim: KubeObject): void {
  const volumeName = textAt(claim, "spec", "volumeName") || `pvc-${claim.metadata.uid}`;
  const spec = dictAt(claim, "spec");
  const capacity = { storage: at(spec, "resources", "requests", "storage") };
  const { name, namespace = "", uid } = claim.metadata;
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid };
  const volume = cluster.get("persistentvolumes", "", volumeName);
  if (!volume) {
    cluster.create("persistentvolumes", "", {
      metadata: { name: volumeName },
      spec: {
        accessModes: spec.accessModes,
        capacity,
        claimRef,
        hostPath: { path: `/sandbox/${volumeName}` },
        persistentVolumeReclaimPolicy: "Delete",
        ...(spec.storageClassName ? { storageClassName: spec.storageClassName } : {}),
      },
    });
  } else if (!at(volume, "spec", "claimRef")) {
    cluster.write("persistentvolumes", { ...volume, spec: { ...dictAt(volume, "spec"), claimRef } });
  }
  const bound = cluster.get("persistentvolumes", "", volumeName);
  if (bound) cluster.writeStatus("persistentvolumes", bound, { phase: "Bound" });
  const named = cluster.write("persistentvolumeclaims", { ...claim, spec: { ...spec, volumeName } });
  cluster.writeStatus("persistentvolumeclaims", named, { phase: "Bound", accessModes: spec.accessModes, capacity });
}

function release(cluster: Cluster, namespace: string, name: string): void {
  for (const volume of cluster.list("persistentvolumes")) {
    const reference = dictAt(volume, "spec", "claimRef");
    if (reference.namespace !== namespace || reference.name !== name) continue;
    if (textAt(volume, "spec", "persistentVolumeReclaimPolicy") === "Delete")
      cluster.delete("persistentvolumes", volume);
    else cluster.writeStatus("persistentvolumes", volume, { ...dictAt(volume, "status"), phase: "Released" });
  }
}
