import { describe, expect, test } from "vitest";
import type { Container, LivePod } from "../../../../../shared/kube/live/liveTypes.ts";
import { usedByPod } from "../../../../../shared/workflows/pods/rules/usedByPod.ts";

const start = "2026-03-01T10:00:00Z";
const at = (seconds: number) => Date.parse(start) / 1000 + seconds;

const asking = (cpu: string, memory: string): Container => ({
  name: "step",
  resources: { requests: { cpu, memory }, limits: { cpu: "8", memory: "8Gi" } },
});

function pod(spec: LivePod["spec"], status: LivePod["status"] = { startTime: start, phase: "Running" }): LivePod {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "job" }, spec, status } as LivePod;
}

const ended = (name: string, seconds: number) => ({
  name,
  state: { terminated: { exitCode: 0, finishedAt: new Date(at(seconds) * 1000).toISOString() } },
});

describe("a pod", () => {
  test("holds what its largest step requests, or its containers together", () => {
    const steps = [asking("500m", "512Mi"), asking("0.25", "1Gi"), { name: "bare" }];
    expect(usedByPod(pod({ initContainers: steps }), at(10))).toEqual({
      cpuMilliSeconds: 5000,
      memoryMibSeconds: 10_240,
    });
    const containers = [asking("300m", "600Mi"), asking("300m", "600Mi")];
    expect(usedByPod(pod({ initContainers: steps, containers }), at(10))).toEqual({
      cpuMilliSeconds: 6000,
      memoryMibSeconds: 12_000,
    });
  });

  test("requests its limits where it requests nothing, and nothing where it has none", () => {
    const limited = { name: "step", resources: { limits: { cpu: "2", memory: "1G" } } };
    expect(usedByPod(pod({ initContainers: [limited] }), at(1))).toEqual({
      cpuMilliSeconds: 2000,
      memoryMibSeconds: 954,
    });
    expect(usedByPod(pod({ containers: [{ name: "bare" }] }), at(100))).toEqual({
      cpuMilliSeconds: 0,
      memoryMibSeconds: 0,
    });
  });

  test("is held until its last container ended, however late that is seen", () => {
    const initContainerStatuses = [ended("one", 5), ended("two", 60)];
    const over = { startTime: start, phase: "Failed", initContainerStatuses, containerStatuses: [ended("main", 61)] };
    const initContainers = [asking("1", "1Gi")];
    expect(usedByPod(pod({ initContainers }, over), at(5000))).toMatchObject({ cpuMilliSeconds: 61_000 });
    const running = { ...over, phase: "Running", containerStatuses: [] };
    expect(usedByPod(pod({ initContainers }, running), at(90))).toMatchObject({ cpuMilliSeconds: 90_000 });
    // Evicted: its containers say nothing.
    expect(usedByPod(pod({ initContainers }, { startTime: start, phase: "Failed" }), at(7))).toMatchObject({
      cpuMilliSeconds: 7000,
    });
  });

  test("that no node took holds nothing", () => {
    expect(usedByPod(pod({ containers: [asking("1", "1Gi")] }, { phase: "Pending" }), at(100))).toEqual({});
  });
});
