import { describe, expect, test } from "vitest";
import { sourceFiles } from "./sourceFiles.ts";

/**
 * Every file that writes to a cluster, with what holds that a project writes nothing there but its own (decisions 17). A file
 * that is missing here was written without deciding it.
 */
const writers: Readonly<Record<string, readonly string[]>> = {
  /** What plans say, which passed `admitPlans`; objects of others are refused by their labels. */
  "plans that were admitted": [
    ...[
      "applyPlan",
      "applyDefinitions",
      "applyPlannedServices",
      "changeWorkload",
      "checkOnCluster",
      "checkForeignFields",
    ].map((name) => `shared/environments/${name}.ts`),
    ...["adoptRelease", "installRelease"].map((name) => `shared/environments/helm/${name}.ts`),
    ...["applyByForce", "applyObjects", "applyOne", "removeAndWait", "adoptFields"].map(
      (name) => `shared/kube/${name}.ts`,
    ),
    ...["previewObjects", "previewTaken"].map((name) => `shared/kube/preview/${name}.ts`),
  ],
  /** Configurations, which `requireOwnConfig` and `requireConsent` hold. */
  "configurations of its own": [
    ...["applyConfigs", "configOnCluster", "deleteConfig"].map((name) => `shared/environments/${name}.ts`),
  ],
  /** Selected by the label of the environment or service, or claimed by it. */
  "objects with its label": [
    ...["leaveCluster", "removeServiceObjects"].map((name) => `shared/environments/${name}.ts`),
    ...["clusterObjects/handOver", "clusterObjects/leaveObject", "preview/previewRemoval"].map(
      (name) => `shared/environments/${name}.ts`,
    ),
    ...["removeObjects", "restartWorkload", "sleep/setActivity"].map((name) => `shared/kube/${name}.ts`),
  ],
  /** `requirePod` asks for the environment's label. */
  "pods of its own": ["shared/environments/restartPod.ts"],
  /** Objects of Slipway itself: namespaces, pull secrets, routes of the mesh. */
  "the platform's own objects": [
    ...["ensureNamespace", "pullSecret", "releaseNamespace"].map((name) => `shared/kube/${name}.ts`),
    ...["gatewayPorts", "injection", "ownedObjects"].map((name) => `shared/kube/mesh/${name}.ts`),
    ...["mesh/syncRoutes", "updateEnvironment"].map((name) => `shared/environments/${name}.ts`),
  ],
  /** Workloads that `ownerOf` or the environment's service says are the project's. */
  "workloads that a job may change": [
    ...["applyBeside", "giveBack", "istioRoutes", "istioStep", "origin", "preview", "removeOwned", "setReplicas"].map(
      (name) => `shared/workflows/jobs/rollout/${name}.ts`,
    ),
    ...["preview", "runner"].map((name) => `shared/workflows/jobs/custom-deploy/${name}.ts`),
  ],
  /** `ownerOf` and the bounds of the project. */
  "what a job patches or runs": [
    "shared/workflows/jobs/k8s-resource-patch/patchObject.ts",
    "shared/workflows/jobs/rollout/analysis/jobValue.ts",
  ],
  /** In the project's namespace for jobs. */
  "jobs of its own": ["removeContainerJob", "startContainerJob"].map((name) => `shared/workflows/pods/${name}.ts`),
};

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
    expect(callersOf("pinImages")).toEqual(["shared/environments/admitPlans.ts"]);
    expect(callersOf("admitPlans").sort()).toEqual([
      "shared/environments/planServices.ts",
      "shared/environments/rollbackService.ts",
    ]);
  });

  test("of Helm all lead through the judgement of what it rendered", () => {
    const doors = files.filter(({ text }) => /\brender: async/.test(text)).map(({ path }) => path);
    expect(doors).toEqual(["shared/environments/helm/releaseProxy.ts"]);
    expect(files.find(({ path }) => path === doors[0])?.text).toContain("boundsProblem(");
  });
});
