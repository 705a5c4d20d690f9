import { type Dict, dictAt, dictsAt, equal, type KubeObject, textAt } from "../model/object.ts";
import type { Pod } from "../model/workloads.ts";
import { matchesSelector } from "../select/labelSelector.ts";
import { type Cluster, type Controller, keyOf, ownedBy } from "./controller.ts";
import { isFinished, isReady } from "./podsOf.ts";

const slices = "endpointslices.discovery.k8s.io";

/** Keeps the Endpoints and the EndpointSlice of each Service with a selector. */
export function endpointsController(cluster: Cluster): Controller {
  return {
    name: "endpoints",
    watches: { services: (service) => [keyOf(service)], pods: (pod) => servicesOf(cluster, pod) },
    reconcile(namespace, name) {
      const service = cluster.get("services", namespace, name);
      if (!service) removeEndpoints(cluster, namespace, name);
      if (!service || service.metadata.deletionTimestamp) return undefined;
      const selector = dictAt(service, "spec", "selector") as Record<string, string>;
      if (Object.keys(selector).length === 0) return undefined;
      const pods = cluster
        .list<Pod>("pods", namespace)
        .filter((pod) => pod.status.podIP && !isFinished(pod) && !pod.metadata.deletionTimestamp)
        .filter((pod) => matchesSelector({ matchLabels: selector }, pod.metadata.labels));
      writeEndpoints(cluster, service, pods);
      writeSlice(cluster, service, pods);
      return undefined;
    },
  };
}

function servicesOf(cluster: Cluster, pod: KubeObject): string[] {
  return cluster
    .list("services", pod.metadata.namespace)
    .filter((service) => {
      const matchLabels = dictAt(service, "spec", "selector") as Record<string, string>;
      return Object.keys(matchLabels).length > 0 && matchesSelector({ matchLabels }, pod.metadata.labels);
    })
    .map(keyOf);
}

/** A port of the service on one pod: named target ports are looked up in its containers. */
function targetPort(port: Dict, pod: Pod | undefined): number | undefined {
  if (typeof port.targetPort === "number") return port.targetPort;
  const ports = (pod?.spec.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.find((candidate) => candidate.name === port.targetPort)?.containerPort;
}

function portsOf(service: KubeObject, pod: Pod | undefined): Dict[] {
  return dictsAt(service, "spec", "ports").flatMap((port) => {
    const number = targetPort(port, pod);
    return number === undefined
      ? []
      : [{ ...(port.name ? { name: port.name } : {}), port: number, protocol: port.protocol }];
  });
}

function address(pod: Pod): Dict {
  const { name, namespace, uid } = pod.metadata;
  return { ip: pod.status.podIP, nodeName: pod.spec.nodeName, targetRef: { kind: "Pod", name, namespace, uid } };
}

function writeEndpoints(cluster: Cluster, service: KubeObject, pods: Pod[]): void {
  const { name, namespace = "", labels } = service.metadata;
  const ready = pods.filter(isReady).map(address);
  const unready = pods.filter((pod) => !isReady(pod)).map(address);
  const subset = {
    ...(ready.length > 0 ? { addresses: ready } : {}),
    ...(unready.length > 0 ? { notReadyAddresses: unready } : {}),
    ports: portsOf(service, pods[0]),
  };
  const subsets = pods.length > 0 ? { subsets: [subset] } : {};
  const marked = { ...labels, "endpoints.kubernetes.io/managed-by": "endpoint-controller" };
  const live = cluster.get("endpoints", namespace, name);
  if (!live) {
    cluster.create("endpoints", namespace, { metadata: { name, labels: marked }, ...subsets });
    return;
  }
  const { subsets: _, ...rest } = live;
  if (!equal(live.subsets, pods.length > 0 ? [subset] : undefined)) cluster.write("endpoints", { ...rest, ...subsets });
}

function writeSlice(cluster: Cluster, service: KubeObject, pods: Pod[]): void {
  const { name, namespace = "", labels } = service.metadata;
  const endpoints = pods.map((pod) => ({
    addresses: [pod.status.podIP],
    conditions: { ready: isReady(pod), serving: isReady(pod), terminating: false },
    nodeName: pod.spec.nodeName,
    targetRef: address(pod).targetRef,
  }));
  const ports = portsOf(service, pods[0]).map((port) => ({ name: "", ...port }));
  const live = cluster.owned(service, slices)[0];
  if (live) {
    if (!equal(live.endpoints ?? [], endpoints) || !equal(live.ports ?? [], ports)) {
      cluster.write(slices, { ...live, endpoints, ports });
    }
    return;
  }
  const marked = {
    ...labels,
    "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    "kubernetes.io/service-name": name,
    ...(textAt(service, "spec", "clusterIP") === "None" ? { "service.kubernetes.io/headless": "" } : {}),
  };
  cluster.create(slices, namespace, {
    metadata: { generateName: `${name}-`, labels: marked, ownerReferences: [ownedBy(service)] },
    addressType: "IPv4",
    endpoints,
    ports,
  });
}

function removeEndpoints(cluster: Cluster, namespace: string, name: string): void {
  const live = cluster.get("endpoints", namespace, name);
  if (live?.metadata.labels?.["endpoints.kubernetes.io/managed-by"]) cluster.delete("endpoints", live);
}
