import type { ApiResource } from "./ClusterClient.ts";

/** apiVersion → kinds; `*` marks cluster-scoped kinds, `=` names a plural that is not the lower-case kind with an s. */
const table: Record<string, string> = {
  v1:
    "ConfigMap Secret Service ServiceAccount Pod Endpoints=endpoints Event PersistentVolumeClaim ReplicationController " +
    "LimitRange ResourceQuota Namespace* Node* PersistentVolume*",
  "apps/v1": "Deployment StatefulSet DaemonSet ReplicaSet ControllerRevision",
  "batch/v1": "Job CronJob",
  "autoscaling/v1": "HorizontalPodAutoscaler",
  "autoscaling/v2": "HorizontalPodAutoscaler",
  "policy/v1": "PodDisruptionBudget",
  "networking.k8s.io/v1": "Ingress=ingresses NetworkPolicy=networkpolicies IngressClass=ingressclasses*",
  "rbac.authorization.k8s.io/v1": "Role RoleBinding ClusterRole* ClusterRoleBinding*",
  "storage.k8s.io/v1": "StorageClass=storageclasses*",
  "scheduling.k8s.io/v1": "PriorityClass=priorityclasses*",
  "apiextensions.k8s.io/v1": "CustomResourceDefinition*",
};

/** Kinds whose path is the same in every cluster, so that the first apply needs no discovery. */
export const wellKnownResources: ReadonlyMap<string, ApiResource> = new Map(
  Object.entries(table).flatMap(([apiVersion, kinds]) =>
    kinds.split(" ").map((text): [string, ApiResource] => {
      const [kind = "", plural] = text.replace("*", "").split("=");
      const namespaced = !text.endsWith("*");
      return [`${apiVersion}/${kind}`, { apiVersion, kind, plural: plural ?? `${kind.toLowerCase()}s`, namespaced }];
    }),
  ),
);
