import type { Cluster } from "./controllers/controller.ts";
import { nodeName } from "./pods/kubelet.ts";

const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** What a cluster has before anybody uses it: four namespaces, a node, the API's own service, two priority classes. */
export function furnish(cluster: Cluster): void {
  for (const name of namespaces)
    if (!cluster.get("namespaces", "", name)) cluster.create("namespaces", "", { metadata: { name } });
  if (!cluster.get("nodes", "", nodeName)) cluster.create("nodes", "", node());
  if (!cluster.get("services", "default", "kubernetes")) {
    cluster.create("services", "default", {
      metadata: { name: "kubernetes", labels: { component: "apiserver", provider: "kubernetes" } },
      spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, targetPort: 6443 }] },
    });
  }
  for (const [name, value] of [
    ["system-cluster-critical", 2_000_000_000],
    ["system-node-critical", 2_000_001_000],
  ] as const) {
    if (cluster.get("priorityclasses.scheduling.k8s.io", "", name)) continue;
    cluster.create("priorityclasses.scheduling.k8s.io", "", { metadata: { name }, value });
  }
}

function node(): object {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const amounts = { cpu: "64", memory: "256Gi", pods: "10000" };
  return {
    metadata: {
      name: nodeName,
      labels: { "kubernetes.io/hostname": nodeName, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" },
    },
    status: {
      capacity: amounts,
      allocatable: amounts,
      conditions: [
        { type: "Ready", status: "True", reason: "KubeletReady", lastHeartbeatTime: now, lastTransitionTime: now },
      ],
      addresses: [
        { type: "InternalIP", address: "127.0.0.1" },
        { type: "Hostname", address: nodeName },
      ],
      nodeInfo: {
        kubeletVersion: "v1.35.0",
        operatingSystem: "linux",
        architecture: "amd64",
        containerRuntimeVersion: "sandbox://0",
        osImage: "sandbox",
        kernelVersion: "sandbox",
      },
    },
  };
}
