import { type Dict, dictAt, dictsAt, isDict } from "../model/object.ts";
import { defaultPodSpec, setDefault } from "./podSpec.ts";

/** Fills in the fields that clients leave out and the API server answers with; in place, by storage key. */
export function applyDefaults(key: string, object: Dict): void {
  byKey[key]?.(object, dictAt(object, "spec"));
}

type Defaulter = (object: Dict, spec: Dict) => void;

const byKey: Record<string, Defaulter> = {
  pods: defaultPod,
  podtemplates: (object) => defaultTemplate(object),
  replicationcontrollers: (_, spec) => {
    setDefault(spec, "replicas", 1);
    defaultTemplate(spec);
  },
  services: defaultService,
  secrets: defaultSecret,
  namespaces: defaultNamespace,
  persistentvolumeclaims: (object, spec) => {
    setDefault(spec, "volumeMode", "Filesystem");
    setDefault(dictAt(object, "status"), "phase", "Pending");
  },
  persistentvolumes: (object, spec) => {
    setDefault(spec, "persistentVolumeReclaimPolicy", "Retain");
    setDefault(spec, "volumeMode", "Filesystem");
    setDefault(dictAt(object, "status"), "phase", "Pending");
  },
  "deployments.apps": defaultDeployment,
  "statefulsets.apps": defaultStatefulSet,
  "daemonsets.apps": defaultDaemonSet,
  "replicasets.apps": (_, spec) => {
    setDefault(spec, "replicas", 1);
    defaultTemplate(spec);
  },
  "jobs.batch": (_, spec) => defaultJobSpec(spec),
  "cronjobs.batch": defaultCronJob,
  "networkpolicies.networking.k8s.io": defaultNetworkPolicy,
  "horizontalpodautoscalers.autoscaling": defaultAutoscaler,
  "storageclasses.storage.k8s.io": (object) => {
    setDefault(object, "reclaimPolicy", "Delete");
    setDefault(object, "volumeBindingMode", "Immediate");
  },
  "priorityclasses.scheduling.k8s.io": (object) => setDefault(object, "preemptionPolicy", "PreemptLowerPriority"),
  "rolebindings.rbac.authorization.k8s.io": defaultBinding,
  "clusterrolebindings.rbac.authorization.k8s.io": defaultBinding,
  "customresourcedefinitions.apiextensions.k8s.io": defaultDefinition,
  "endpointslices.discovery.k8s.io": (object) => {
    for (const port of dictsAt(object, "ports")) {
      setDefault(port, "name", "");
      setDefault(port, "protocol", "TCP");
    }
  },
  endpoints: (object) => {
    for (const subset of dictsAt(object, "subsets")) {
      for (const port of dictsAt(subset, "ports")) setDefault(port, "protocol", "TCP");
    }
  },
};

function defaultTemplate(spec: Dict): void {
  if (isDict(spec.template) && isDict(spec.template.spec)) defaultPodSpec(spec.template.spec);
}

function defaultPod(object: Dict, spec: Dict): void {
  defaultPodSpec(spec);
  setDefault(spec, "enableServiceLinks", true);
  setDefault(dictAt(object, "status"), "phase", "Pending");
  for (const container of [...dictsAt(spec, "containers"), ...dictsAt(spec, "initContainers")]) {
    const limits = dictAt(container, "resources", "limits");
    if (Object.keys(limits).length === 0 || !isDict(container.resources)) continue;
    container.resources.requests = { ...limits, ...dictAt(container, "resources", "requests") };
  }
}

function defaultService(_: Dict, spec: Dict): void {
  setDefault(spec, "sessionAffinity", "None");
  setDefault(spec, "type", "ClusterIP");
  for (const port of dictsAt(spec, "ports")) {
    setDefault(port, "protocol", "TCP");
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") port.targetPort = port.port;
  }
  if (spec.sessionAffinity === "ClientIP")
    setDefault(spec, "sessionAffinityConfig", { clientIP: { timeoutSeconds: 10800 } });
  if (spec.type === "ExternalName") return;
  setDefault(spec, "internalTrafficPolicy", "Cluster");
  if (spec.type === "NodePort" || spec.type === "LoadBalancer") setDefault(spec, "externalTrafficPolicy", "Cluster");
  if (spec.type === "LoadBalancer") setDefault(spec, "allocateLoadBalancerNodePorts", true);
}

function defaultSecret(object: Dict): void {
  setDefault(object, "type", "Opaque");
  if (!isDict(object.stringData)) return;
  const data: Dict = { ...dictAt(object, "data") };
  for (const [key, value] of Object.entries(object.stringData))
    data[key] = Buffer.from(String(value)).toString("base64");
  object.data = data;
  delete object.stringData;
}

function defaultNamespace(object: Dict): void {
  if (!isDict(object.metadata)) return;
  const labels = dictAt(object.metadata, "labels");
  if (object.metadata.name) object.metadata.labels = { ...labels, "kubernetes.io/metadata.name": object.metadata.name };
  setDefault(dictAt(object, "status"), "phase", "Active");
}

function defaultDeployment(_: Dict, spec: Dict): void {
  setDefault(spec, "replicas", 1);
  setDefault(spec, "progressDeadlineSeconds", 600);
  setDefault(spec, "revisionHistoryLimit", 10);
  const strategy = dictAt(spec, "strategy");
  setDefault(strategy, "type", "RollingUpdate");
  if (strategy.type === "RollingUpdate") {
    setDefault(strategy, "rollingUpdate", {});
    const rolling = dictAt(strategy, "rollingUpdate");
    setDefault(rolling, "maxSurge", "25%");
    setDefault(rolling, "maxUnavailable", "25%");
  }
  defaultTemplate(spec);
}

function defaultStatefulSet(_: Dict, spec: Dict): void {
  setDefault(spec, "replicas", 1);
  setDefault(spec, "podManagementPolicy", "OrderedReady");
  setDefault(spec, "revisionHistoryLimit", 10);
  setDefault(spec, "persistentVolumeClaimRetentionPolicy", { whenDeleted: "Retain", whenScaled: "Retain" });
  const strategy = dictAt(spec, "updateStrategy");
  setDefault(strategy, "type", "RollingUpdate");
  if (strategy.type === "RollingUpdate") {
    setDefault(strategy, "rollingUpdate", {});
    setDefault(dictAt(strategy, "rollingUpdate"), "partition", 0);
  }
  for (const claim of dictsAt(spec, "volumeClaimTemplates")) {
    setDefault(claim, "apiVersion", "v1");
    setDefault(claim, "kind", "PersistentVolumeClaim");
    setDefault(dictAt(claim, "spec"), "volumeMode", "Filesystem");
    setDefault(dictAt(claim, "status"), "phase", "Pending");
  }
  defaultTemplate(spec);
}

function defaultDaemonSet(object: Dict, spec: Dict): void {
  const annotations = dictAt(object, "metadata", "annotations");
  setDefault(annotations, "deprecated.daemonset.template.generation", "1");
  if (isDict(object.metadata)) object.metadata.annotations = annotations;
  setDefault(spec, "revisionHistoryLimit", 10);
  const strategy = dictAt(spec, "updateStrategy");
  setDefault(strategy, "type", "RollingUpdate");
  if (strategy.type === "RollingUpdate") setDefault(strategy, "rollingUpdate", { maxSurge: 0, maxUnavailable: 1 });
  defaultTemplate(spec);
}

function defaultJobSpec(spec: Dict): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  setDefault(spec, "parallelism", 1);
  setDefault(spec, "backoffLimit", 6);
  setDefault(spec, "completionMode", "NonIndexed");
  setDefault(spec, "suspend", false);
  setDefault(spec, "manualSelector", false);
  setDefault(spec, "podReplacementPolicy", spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed");
  defaultTemplate(spec);
}

function defaultCronJob(_: Dict, spec: Dict): void {
  setDefault(spec, "concurrencyPolicy", "Allow");
  setDefault(spec, "suspend", false);
  setDefault(spec, "successfulJobsHistoryLimit", 3);
  setDefault(spec, "failedJobsHistoryLimit", 1);
  defaultTemplate(dictAt(spec, "jobTemplate", "spec"));
}

function defaultNetworkPolicy(_: Dict, spec: Dict): void {
  setDefault(spec, "policyTypes", spec.egress ? ["Ingress", "Egress"] : ["Ingress"]);
  for (const rule of [...dictsAt(spec, "ingress"), ...dictsAt(spec, "egress")]) {
    for (const port of dictsAt(rule, "ports")) setDefault(port, "protocol", "TCP");
  }
}

function defaultAutoscaler(_: Dict, spec: Dict): void {
  setDefault(spec, "minReplicas", 1);
  setDefault(spec, "metrics", [
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
  ]);
}

function defaultBinding(object: Dict): void {
  for (const subject of dictsAt(object, "subjects")) {
    if (subject.kind === "User" || subject.kind === "Group")
      setDefault(subject, "apiGroup", "rbac.authorization.k8s.io");
  }
  if (isDict(object.roleRef) && !object.roleRef.apiGroup) object.roleRef.apiGroup = "rbac.authorization.k8s.io";
}

function defaultDefinition(_: Dict, spec: Dict): void {
  const names = dictAt(spec, "names");
  if (typeof names.kind === "string") {
    setDefault(names, "singular", names.kind.toLowerCase());
    setDefault(names, "listKind", `${names.kind}List`);
  }
  setDefault(spec, "conversion", { strategy: "None" });
}
