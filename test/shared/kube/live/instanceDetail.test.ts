import { describe, expect, it } from "vitest";
import type { LiveObject } from "../../../../shared/kube/client/ClusterClient.ts";
import { ageText } from "../../../../shared/kube/live/ageText.ts";
import { instanceDetail } from "../../../../shared/kube/live/instanceDetail.ts";

const now = Date.parse("2026-01-02T00:00:00Z");
const yesterday = "2026-01-01T00:00:00Z";
const image = "reg.example.com:5000/shop/web:v1";
const labels = { app: "web" };

const deployment: LiveObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", uid: "d1" },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { spec: { containers: [{ name: "main", image }] } },
  },
  status: { replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
};
const pod = (
  name: string,
  owner: string,
  status: Record<string, unknown>,
  metadata: Record<string, unknown> = {},
): LiveObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    labels,
    creationTimestamp: yesterday,
    ownerReferences: owner === "" ? [] : [{ apiVersion: "x", kind: owner, name: "web-5d4", uid: "o1" }],
    ...metadata,
  },
  spec: { nodeName: "node-1", containers: [{ name: "main", image, ports: [{ containerPort: 80 }] }] },
  status,
});
const running = {
  phase: "Running",
  podIP: "10.0.0.9",
  hostIP: "10.0.0.1",
  conditions: [
    { type: "Ready", status: "True" },
    { type: "ContainersReady", status: "True" },
  ],
  containerStatuses: [{ name: "main", ready: true, restartCount: 2, state: { running: { startedAt: yesterday } } }],
};
const backOff = {
  phase: "Running",
  conditions: [{ type: "ContainersReady", status: "False", message: "containers with unready status: [main]" }],
  containerStatuses: [
    {
      name: "main",
      ready: false,
      restartCount: 5,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m" } },
    },
  ],
};

describe("the instance detail", () => {
  it("shows a workload with its images and pods as the contract spells them", () => {
    const { scales } = instanceDetail([deployment, pod("web-5d4-x", "ReplicaSet", running)], now);
    expect(scales).toEqual([
      {
        name: "web",
        type: "Deployment",
        images: [{ name: "main", image, image_name: "web" }],
        replicas: 1,
        vendor_release_type: "",
        vendor_release_tag: "",
        zadigx_release_type: "",
        zadigx_release_tag: "",
        pods: [
          {
            kind: "Pod",
            name: "web-5d4-x",
            status: "Running",
            age: "1d",
            createtime: Date.parse(yesterday) / 1000,
            ip: "10.0.0.9",
            labels,
            node_name: "node-1",
            host_ip: "10.0.0.1",
            enable_debug_container: false,
            pod_ready: true,
            containers_ready: true,
            containers_message: "",
            containers: [
              {
                name: "main",
                image,
                restart_count: 2,
                status: "running",
                ready: true,
                ports: [{ containerPort: 80, protocol: "TCP" }],
                message: "",
                reason: "",
                started_at: Date.parse(yesterday) / 1000,
              },
            ],
          },
        ],
      },
    ]);
  });

  it.each([
    ["Unstable", backOff, {}],
    ["Terminating", running, { deletionTimestamp: yesterday }],
    [
      "Completed",
      { phase: "Succeeded" },
      { ownerReferences: [{ kind: "Job", name: "web", uid: "j", apiVersion: "batch/v1" }] },
    ],
    ["Pending", { phase: "Pending" }, {}],
  ])("calls a pod %s", (expected, status, metadata) => {
    const job: LiveObject = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "web", uid: "j" } };
    const { scales } = instanceDetail([deployment, job, pod("p", "ReplicaSet", status, metadata)], now);
    expect(scales.flatMap(({ pods }) => pods.map((one) => one.status))).toEqual([expected]);
  });

  it("shows ingress, endpoints and cron jobs", () => {
    const ingress: LiveObject = {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { name: "web", creationTimestamp: yesterday },
      spec: {
        rules: [
          {
            host: "shop.example.com",
            http: {
              paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } }],
            },
          },
        ],
      },
      status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }, { hostname: "lb.example.com" }] } },
    };
    const service: LiveObject = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web", creationTimestamp: yesterday },
      spec: { ports: [{ port: 80, nodePort: 30080 }, { port: 81 }] },
    };
    const cron: LiveObject = {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "web", creationTimestamp: yesterday },
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { spec: { containers: [{ name: "main", image }] } } } },
      },
    };
    const cronPod = pod(
      "web-123-x",
      "Job",
      { phase: "Succeeded" },
      {
        ownerReferences: [{ kind: "Job", name: "web-123", uid: "j", apiVersion: "batch/v1" }],
      },
    );
    const detail = instanceDetail([ingress, service, cron, cronPod], now);
    expect(detail.ingress).toEqual([
      {
        name: "web",
        labels: {},
        age: "1d",
        ips: ["192.0.2.1", "lb.example.com"],
        host_info: [
          {
            host: "shop.example.com",
            backend: [{ path: "/", path_type: "Prefix", service_name: "web", service_port: "80" }],
          },
        ],
      },
    ]);
    expect(detail.service_endpoints[0]?.endpoints).toEqual([
      { service_name: "web", service_port: 80, node_port: 30080 },
      { service_name: "web", service_port: 81, node_port: 0 },
    ]);
    expect(detail.cron_jobs).toMatchObject([
      {
        name: "web",
        schedule: "* * * * *",
        last_schedule: "N/A",
        suspend: false,
        active: 0,
        pods: [{ name: "web-123-x", status: "Completed" }],
      },
    ]);
  });

  it.each([
    [0, "0s"],
    [37, "37s"],
    [60, "1m"],
    [3_599, "59m"],
    [5 * 3_600, "5h"],
    [3 * 86_400 + 7, "3d"],
  ])("writes an age of %i s as %s", (seconds, text) => {
    expect(ageText(new Date(now - seconds * 1000).toISOString(), now)).toBe(text);
  });
});
