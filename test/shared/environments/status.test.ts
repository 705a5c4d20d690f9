import { describe, expect, it } from "vitest";
import {
  environmentDetailStatus,
  manifestReadiness,
} from "../../../shared/environments/read/environmentDetailStatus.ts";
import type { LiveObject } from "../../../shared/kube/client/ClusterClient.ts";
import { publicServiceStatus, type ServiceState, serviceStatus } from "../../../shared/kube/live/serviceStatus.ts";
import { workloadReady } from "../../../shared/kube/live/workloadReady.ts";

const live = (
  apiVersion: string,
  kind: string,
  rest: Record<string, unknown> = {},
  metadata: Record<string, unknown> = {},
): LiveObject => ({
  apiVersion,
  kind,
  metadata: { name: "web", uid: `${kind}-1`, ...metadata },
  ...rest,
});
const deployment = (status: Record<string, unknown>, replicas = 1, generation = 1) =>
  live("apps/v1", "Deployment", { spec: { replicas }, status }, { generation });
const done = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 };
const changed = "2026-01-01T10:00:00Z";
/** A Deployment whose rollout exceeded its progress deadline at a time; its spec was changed at `changed`. */
const stalled = (lastTransitionTime: string, metadata: Record<string, unknown> = {}) => {
  const reason = "ProgressDeadlineExceeded";
  const conditions = [{ type: "Progressing", status: "False", reason, lastTransitionTime }];
  const status = { ...done, replicas: 2, conditions };
  const managedFields = [{ manager: "slipway", time: changed, fieldsV1: { "f:spec": {} } }];
  return live(
    "apps/v1",
    "Deployment",
    { spec: { replicas: 1 }, status },
    { generation: 1, managedFields, ...metadata },
  );
};
const condition = (type: string, status: string, reason = "") => ({
  status: { conditions: [{ type, status, reason }] },
});
const pod = (phase: string, ready: boolean, metadata: Record<string, unknown> = {}) =>
  live("v1", "Pod", { status: { phase, conditions: [{ type: "Ready", status: ready ? "True" : "False" }] } }, metadata);
const cron = (suspend: boolean) => live("batch/v1", "CronJob", { spec: { suspend } });

describe("a workload", () => {
  it.each<[string, LiveObject, string]>([
    ["Deployment with all replicas", deployment(done), "ready"],
    ["Deployment scaled to 0", deployment({ observedGeneration: 1 }, 0), "ready"],
    ["Deployment whose change was not seen", deployment({ ...done, observedGeneration: 1 }, 1, 2), "progressing"],
    ["Deployment with old replicas left", deployment({ ...done, replicas: 2 }), "progressing"],
    ["Deployment with an unavailable replica", deployment({ ...done, unavailableReplicas: 1 }), "progressing"],
    ["Deployment that is not updated", deployment({ ...done, updatedReplicas: 0 }), "progressing"],
    ["Deployment past its deadline", stalled("2026-01-01T10:00:05Z"), "failed"],
    ["Deployment past its deadline, at a time that is not told", stalled(""), "failed"],
    [
      "Deployment that was past its deadline, whose change was not seen",
      stalled("2026-01-01T10:00:05Z", { generation: 2 }),
      "progressing",
    ],
    ["Deployment that was past its deadline before its last change", stalled("2026-01-01T09:59:00Z"), "progressing"],
    ["Deployment that was past its deadline in the second of its change", stalled(changed), "progressing"],
    [
      "Deployment past its deadline, scaled since",
      stalled("2026-01-01T10:00:05Z", {
        managedFields: [
          { manager: "slipway", time: changed, fieldsV1: { "f:spec": {} } },
          { manager: "hpa", subresource: "scale", time: "2026-01-01T11:00:00Z", fieldsV1: { "f:spec": {} } },
          { manager: "kubectl-label", time: "2026-01-01T11:00:00Z", fieldsV1: { "f:metadata": {} } },
        ],
      }),
      "failed",
    ],
    [
      "Deployment that is being deleted",
      live("apps/v1", "Deployment", {}, { deletionTimestamp: "now" }),
      "progressing",
    ],
    ["StatefulSet", live("apps/v1", "StatefulSet", { spec: { replicas: 1 }, status: done }), "ready"],
    [
      "StatefulSet held back by a partition",
      live("apps/v1", "StatefulSet", {
        spec: { replicas: 1, updateStrategy: { rollingUpdate: { partition: 1 } } },
        status: { ...done, updatedReplicas: 0 },
      }),
      "ready",
    ],
    ["StatefulSet not ready", live("apps/v1", "StatefulSet", { spec: { replicas: 2 }, status: done }), "progressing"],
    [
      "DaemonSet",
      live("apps/v1", "DaemonSet", {
        status: { desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberReady: 2 },
      }),
      "ready",
    ],
    [
      "DaemonSet not updated",
      live("apps/v1", "DaemonSet", {
        status: { desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberReady: 2 },
      }),
      "progressing",
    ],
    ["Job that completed", live("batch/v1", "Job", condition("Complete", "True")), "ready"],
    ["Job that failed", live("batch/v1", "Job", condition("Failed", "True")), "failed"],
    ["Job that runs", live("batch/v1", "Job"), "progressing"],
    ["CronJob", cron(false), "ready"],
    ["CloneSet", live("apps.kruise.io/v1alpha1", "CloneSet", { spec: { replicas: 1 }, status: done }), "ready"],
    ["Pod that is ready", pod("Running", true), "ready"],
    ["Pod that is not", pod("Running", false), "progressing"],
    ["Pod that failed", pod("Failed", false), "failed"],
    ["ConfigMap", live("v1", "ConfigMap"), "ready"],
    ["custom object that is Ready", live("example.com/v1", "Db", condition("Ready", "True")), "ready"],
    [
      "custom object that is not Available",
      live("example.com/v1", "Db", condition("Available", "False")),
      "progressing",
    ],
    ["custom object without such a condition", live("example.com/v1", "Db", condition("Synced", "False")), "ready"],
  ])("%s is %s", (_name, object, expected) => {
    const { state, reason } = workloadReady(object);
    expect(state).toBe(expected);
    expect(reason === "").toBe(expected === "ready");
  });
});

describe("a service", () => {
  const state = (change: Partial<ServiceState>): ServiceState => ({
    manifest: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web" }],
    live: [],
    changeFailed: false,
    defined: true,
    cluster: "read",
    environmentCreating: false,
    ...change,
  });
  const cronOnly = [{ apiVersion: "batch/v1", kind: "CronJob", name: "web" }];
  const configOnly = [{ apiVersion: "v1", kind: "ConfigMap", name: "web" }];
  const custom = [{ apiVersion: "example.com/v1", kind: "Db", name: "web" }];
  const jobOnly = [{ apiVersion: "batch/v1", kind: "Job", name: "web" }] as const;
  const ofJob = { ownerReferences: [{ uid: "Job-1", kind: "Job", name: "web", apiVersion: "batch/v1" }] };

  it.each<[string, Partial<ServiceState>, string]>([
    ["of configuration alone", { manifest: configOnly }, "succeeded"],
    ["of configuration alone, cluster unreadable", { manifest: configOnly, cluster: "failed" }, "succeeded"],
    ["never applied", { changeFailed: true }, "failed"],
    [
      "whose update failed while the old one runs",
      { changeFailed: true, live: [deployment(done), pod("Running", true)] },
      "failed",
    ],
    ["without a definition", { defined: false, live: [deployment(done), pod("Running", true)] }, "failed"],
    ["not read yet", { cluster: "unread" }, "unknown"],
    ["unreadable while being created", { cluster: "failed", environmentCreating: true }, "pending"],
    ["unreadable", { cluster: "failed" }, "error"],
    ["of suspended cron jobs", { manifest: cronOnly, live: [cron(true)] }, "allsuspend"],
    ["of partly suspended cron jobs", { manifest: cronOnly, live: [cron(true), cron(false)] }, "partsuspend"],
    ["of cron jobs", { manifest: cronOnly, live: [cron(false)] }, "nosuspend"],
    ["without pods", { live: [deployment({}, 0)] }, "unstart"],
    [
      "whose pods are on their way out",
      { live: [deployment({}, 0), pod("Running", true, { deletionTimestamp: "now" })] },
      "unstart",
    ],
    ["whose pods succeeded", { live: [pod("Succeeded", false), pod("Succeeded", false)] }, "succeeded"],
    [
      "with a pod that is not ready",
      { live: [deployment(done), pod("Running", true), pod("Pending", false)] },
      "unstable",
    ],
    ["whose pods are ready", { live: [deployment(done), pod("Running", true), pod("Succeeded", false)] }, "running"],
    [
      "whose job succeeded at the second try",
      {
        live: [
          live("batch/v1", "Job", condition("Complete", "True")),
          pod("Failed", false, ofJob),
          pod("Succeeded", false, ofJob),
        ],
      },
      "succeeded",
    ],
    [
      "beside whose pods a hook, which is a Job, failed",
      { live: [deployment(done), pod("Running", true), pod("Failed", false, ofJob)] },
      "running",
    ],
    ["of configuration that was refused", { manifest: configOnly, changeFailed: true }, "failed"],
    ["whose job failed", { manifest: jobOnly, live: [live("batch/v1", "Job", condition("Failed", "True"))] }, "failed"],
    ["whose job was removed after its end", { manifest: [{ ...jobOnly[0], expires: true }] }, "succeeded"],
    ["whose job is gone", { manifest: jobOnly }, "unstart"],
    ["of a custom object that is gone", { manifest: custom }, "unstable"],
    ["of a custom object without conditions", { manifest: custom, live: [live("example.com/v1", "Db")] }, "succeeded"],
    [
      "of a ready custom object",
      { manifest: custom, live: [live("example.com/v1", "Db", condition("Ready", "True"))] },
      "running",
    ],
    [
      "of a custom object that is not ready",
      { manifest: custom, live: [live("example.com/v1", "Db", condition("Ready", "False"))] },
      "unstable",
    ],
  ])("%s is %s", (_name, change, expected) => {
    expect(serviceStatus(state(change))).toBe(expected);
  });

  it("shows only the contract's words", () => {
    expect([
      publicServiceStatus("error"),
      publicServiceStatus("partsuspend"),
      publicServiceStatus("succeeded"),
    ]).toEqual(["unknown", "running", "succeeded"]);
  });
});

describe("an environment", () => {
  const refs = [{ apiVersion: "apps/v1", kind: "Deployment", name: "web" }];
  it.each([
    ["creating", undefined, "creating"],
    ["sleeping", undefined, "sleeping"],
    ["failed", undefined, "error"],
    ["success", undefined, "unknown"],
    ["success", [], "succeeded"],
    ["success", manifestReadiness(refs, [deployment(done)]), "running"],
    ["success", manifestReadiness(refs, []), "unstable"],
    ["success", manifestReadiness([{ apiVersion: "v1", kind: "Service", name: "web" }], []), "succeeded"],
  ] as const)("stored as %s is shown as its workloads say", (stored, workloads, expected) => {
    expect(environmentDetailStatus(stored, workloads)).toBe(expected);
  });
});
