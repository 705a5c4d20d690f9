import type { Resource } from "../api/resource.ts";
import { at, type Dict, dictAt, dictsAt, type KubeObject, textAt } from "../model/object.ts";

interface Column {
  name: string;
  cell: (object: KubeObject) => unknown;
  wide?: boolean;
}

/** Objects as the `Table` that kubectl prints. */
export function tableOf(resource: Resource, objects: KubeObject[]): Dict {
  const columns = [name, ...(columnsByKey[resource.key] ?? customColumns(resource)), age];
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: { resourceVersion: objects[0]?.metadata.resourceVersion ?? "" },
    columnDefinitions: columns.map((column) => ({
      name: column.name,
      type: "string",
      format: column.name === "Name" ? "name" : "",
      description: column.name,
      priority: column.wide ? 1 : 0,
    })),
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object)),
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: object.metadata,
      },
    })),
  };
}

const name: Column = { name: "Name", cell: (object) => object.metadata.name };
const age: Column = { name: "Age", cell: (object) => since(object.metadata.creationTimestamp) };

function text(title: string, ...path: string[]): Column {
  return { name: title, cell: (object) => String(at(object, ...path) ?? "<none>") };
}

function count(title: string, ...path: string[]): Column {
  return { name: title, cell: (object) => Number(at(object, ...path) ?? 0) };
}

function since(time: string): string {
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(time)) / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

function ready(field: string): Column {
  return { name: "Ready", cell: (o) => `${at(o, "status", "readyReplicas") ?? 0}/${at(o, "spec", field) ?? 0}` };
}

const images: Column = {
  name: "Images",
  wide: true,
  cell: (object) =>
    dictsAt(object, "spec", "template", "spec", "containers")
      .map((c) => textAt(c, "image"))
      .join(","),
};

function podStatus(object: KubeObject): string {
  if (object.metadata.deletionTimestamp) return "Terminating";
  for (const status of dictsAt(object, "status", "containerStatuses")) {
    const reason = textAt(status, "state", "waiting", "reason") || textAt(status, "state", "terminated", "reason");
    if (reason) return reason;
  }
  return textAt(object, "status", "phase");
}

function restarts(object: KubeObject): number {
  return dictsAt(object, "status", "containerStatuses").reduce((sum, s) => sum + Number(s.restartCount ?? 0), 0);
}

const columnsByKey: Record<string, Column[]> = {
  pods: [
    {
      name: "Ready",
      cell: (object) => {
        const statuses = dictsAt(object, "status", "containerStatuses");
        return `${statuses.filter((s) => s.ready === true).length}/${dictsAt(object, "spec", "containers").length}`;
      },
    },
    { name: "Status", cell: podStatus },
    { name: "Restarts", cell: restarts },
    { ...text("IP", "status", "podIP"), wide: true },
    { ...text("Node", "spec", "nodeName"), wide: true },
  ],
  "deployments.apps": [
    ready("replicas"),
    count("Up-to-date", "status", "updatedReplicas"),
    count("Available", "status", "availableReplicas"),
    images,
  ],
  "replicasets.apps": [
    count("Desired", "spec", "replicas"),
    count("Current", "status", "replicas"),
    count("Ready", "status", "readyReplicas"),
  ],
  "statefulsets.apps": [ready("replicas"), images],
  "daemonsets.apps": [
    count("Desired", "status", "desiredNumberScheduled"),
    count("Current", "status", "currentNumberScheduled"),
    count("Ready", "status", "numberReady"),
    count("Up-to-date", "status", "updatedNumberScheduled"),
    count("Available", "status", "numberAvailable"),
  ],
  "jobs.batch": [
    { name: "Status", cell: jobStatus },
    { name: "Completions", cell: (o) => `${at(o, "status", "succeeded") ?? 0}/${at(o, "spec", "completions") ?? 1}` },
  ],
  "cronjobs.batch": [
    text("Schedule", "spec", "schedule"),
    text("Suspend", "spec", "suspend"),
    { name: "Active", cell: (object) => dictsAt(object, "status", "active").length },
  ],
  services: [
    text("Type", "spec", "type"),
    text("Cluster-IP", "spec", "clusterIP"),
    { name: "External-IP", cell: (o) => (textAt(o, "spec", "type") === "LoadBalancer" ? "<pending>" : "<none>") },
    { name: "Port(s)", cell: (object) => dictsAt(object, "spec", "ports").map(printPort).join(",") || "<none>" },
  ],
  namespaces: [text("Status", "status", "phase")],
  nodes: [{ name: "Status", cell: () => "Ready" }, text("Version", "status", "nodeInfo", "kubeletVersion")],
  configmaps: [{ name: "Data", cell: (object) => Object.keys(dictAt(object, "data")).length }],
  secrets: [text("Type", "type"), { name: "Data", cell: (object) => Object.keys(dictAt(object, "data")).length }],
  persistentvolumeclaims: [text("Status", "status", "phase"), text("Volume", "spec", "volumeName")],
  persistentvolumes: [text("Status", "status", "phase"), text("StorageClass", "spec", "storageClassName")],
  events: [
    text("Type", "type"),
    text("Reason", "reason"),
    text("Object", "involvedObject", "name"),
    text("Message", "message"),
  ],
};

function jobStatus(object: KubeObject): string {
  const done = dictsAt(object, "status", "conditions").find(
    (c) => c.status === "True" && (c.type === "Complete" || c.type === "Failed"),
  );
  return done ? String(done.type) : at(object, "spec", "suspend") === true ? "Suspended" : "Running";
}

function printPort(port: Dict): string {
  return port.nodePort ? `${port.port}:${port.nodePort}/${port.protocol}` : `${port.port}/${port.protocol}`;
}

function customColumns(resource: Resource): Column[] {
  return (resource.columns ?? []).map((column) => text(column.name, ...column.path.split(".").slice(1)));
}
