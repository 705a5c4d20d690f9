import { describe, expect, test } from "vitest";
import { sourceFiles } from "./sourceFiles.ts";

/**
 * Every file that writes to a cluster, with what holds that a project writes nothing there but its own (decisions 17). A file
 * that is missing here was written without deciding it.
 */
const writers: Readonly<Record<string, readonly string[]>> = {
  /** What plans say, which passed `admitPlans`; objects of others are refused by their labels. */
  "plans that were admitted": [
    ...inFolder(
      "environments/apply",
      "applyPlan applyDefinitions applyPlannedServices checkOnCluster checkForeignFields",
    ),
    ...inFolder("environments/workloads", "changeWorkload"),
    ...inFolder("environments/helm", "adoptRelease installRelease"),
    ...inFolder("kube/apply", "applyByForce applyObjects applyOne removeAndWait adoptFields"),
    ...inFolder("kube/preview", "previewObjects previewTaken"),
  ],
  /** Configurations, which `requireOwnConfig` and `requireConsent` hold. */
  "configurations of its own": inFolder("environments/configs", "applyConfigs configOnCluster deleteConfig"),
  /** Selected by the label of the environment or service, or claimed by it. */
  "objects with its label": [
    ...inFolder("environments/apply", "leaveCluster removeServiceObjects"),
    ...inFolder("environments", "clusterObjects/handOver clusterObjects/leaveObject preview/previewRemoval"),
    ...inFolder("kube", "apply/removeObjects live/restartWorkload sleep/setActivity"),
  ],
  /** `requirePod` asks for the environment's label. */
  "pods of its own": inFolder("environments/workloads", "restartPod"),
  /** Objects of Slipway itself: namespaces, pull secrets, routes of the mesh. */
  "the platform's own objects": [
    ...inFolder("kube/apply", "ensureNamespace pullSecret releaseNamespace"),
    ...inFolder("kube/mesh", "gatewayPorts injection ownedObjects"),
    ...inFolder("environments", "mesh/syncRoutes change/updateEnvironment"),
  ],
  /** Workloads that `ownerOf` or the environment's service says are the project's. */
  "workloads that a job may change": [
    ...inFolder(
      "workflows/jobs/rollout",
      "applyBeside giveBack istioRoutes istioStep origin preview removeOwned setReplicas",
    ),
    ...inFolder("workflows/jobs/custom-deploy", "preview runner"),
  ],
  /** `ownerOf` and the bounds of the project. */
  "what a job patches or runs": inFolder("workflows/jobs", "k8s-resource-patch/patchObject rollout/analysis/jobValue"),
  /** In the project's namespace for jobs. */
  "jobs of its own": inFolder("workflows/pods", "removeContainerJob startContainerJob"),
};

function inFolder(folder: string, names: string): string[] {
  return names.split(" ").map((name) => `shared/${folder}/${name}.ts`);
}

const files = sourceFiles("shared", "functions");
const writes = /client\.(?:apply|patch|create|remove)\(|\b(?:applyByForce|applyObjects|removeObjects|applyOne)\(/;

describe("doors to a cluster", () => {
  test("are known, each with what holds the border of a project", () => {
    const found = files
      .filter(({ path, text }) => !path.startsWith("shared/kube/client/") && writes.test(text))
      .map(({ path }) => path);
    expect(found.sort()).toEqual(Object.values(writers).flat().sort());
  });

  test("take plans that passed one gate", () => {
    const callersOf = (name: string) =>
      files.filter(({ text }) => new RegExp(`(?<!function )\\b${name}\\(`).test(text)).map(({ path }) => path);
    expect(callersOf("pinImages")).toEqual(["shared/environments/plan/admitPlans.ts"]);
    expect(callersOf("admitPlans").sort()).toEqual([
      "shared/environments/change/rollbackService.ts",
      "shared/environments/plan/planServices.ts",
    ]);
  });

  test("of Helm all lead through the judgement of what it rendered", () => {
    const doors = files.filter(({ text }) => /\brender: async/.test(text)).map(({ path }) => path);
    expect(doors).toEqual(["shared/environments/helm/releaseProxy.ts"]);
    expect(files.find(({ path }) => path === doors[0])?.text).toContain("boundsProblem(");
  });
});
