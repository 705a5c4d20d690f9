import { describe, expect, test } from "vitest";
import { podSecurityProblem } from "../../../../shared/kube/podSecurity/podSecurityProblem.ts";
import type { ContainerJob, ContainerStep } from "../../../../shared/workflows/pods/rules/containerJob.ts";
import { jobManifest } from "../../../../shared/workflows/pods/rules/jobManifest.ts";
import { checkBaseline } from "../../../../shared/workflows/pods/startContainerJob.ts";

const steps: Record<ContainerStep["kind"], ContainerStep> = {
  git: {
    ...{ kind: "git", name: "git" },
    repositories: [
      {
        ...{ address: "https://git.example.org/shop/web.git", access: { kind: "ssh", privateKey: "a key" } },
        ...{ checkoutPath: "web", remoteName: "origin", tag: "", commitId: "", branch: "main", mergeBranches: [] },
        ...{ pullRequests: [], pullRefs: "pull", submodules: false, disableSsl: false, commitVariable: "" },
      },
    ],
  },
  script: { kind: "script", name: "script", image: "user:1", script: "true", packages: [] },
  command: { kind: "command", name: "plugin", image: "user:1", command: [], args: ["a"] },
  imageBuild: {
    ...{ kind: "imageBuild", name: "image", image: "r.example.org/web:1", contextDirectory: "", dockerfile: "" },
    ...{ buildArgs: "", platforms: "", cacheImage: "" },
  },
  archive: { kind: "archive", name: "archive", uploads: [{ path: "a", objectKey: "jobs/a", required: true }] },
};
const base: ContainerJob = {
  ...{
    jobRecordId: "0123456789abcdef01234567",
    name: "ship-7-0123456789",
    clusterId: "c",
    namespace: "slipway-jobs-shop",
  },
  ...{ jobTaskName: "build", jobType: "zadig-build", steps: [], env: [], secretEnv: [], masks: [], outputs: ["A"] },
  ...{ timeoutMinutes: 60, resources: { cpuLimitMilli: 500, gpuLimit: "nvidia.com/gpu: 1" } },
  placement: { nodeLabels: ["a=b"], strategy: "required", tolerations: [{ operator: "Exists" }] },
  ...{ labels: { team: "web" }, annotations: { note: "x" }, ignoreCache: false, privileged: false, hostDocker: false },
  volumes: [{ path: "/data", subpath: "", claim: { kind: "existing", name: "mine" } }],
  cache: { directory: "/cache", medium: { kind: "object", objectKey: "jobs/cache/a" } },
  reportDirectory: "reports",
  registries: [
    { address: "https://r.example.org", username: "u", password: "p", tlsCertificate: "PEM", tlsEnabled: true },
  ],
};

function manifestOf(changes: Partial<ContainerJob>, buildkitMode: "privileged" | "rootless" = "privileged") {
  const images = { git: "git:1", buildkit: "buildkit:1", tools: "tools:1", buildkitMode };
  const addresses = new Map(["jobs/a", "jobs/cache/a"].map((key) => [key, { put: "https://p", get: "https://g" }]));
  const whole = { ...base, ...changes };
  const { job } = jobManifest(whole, { images, signed: addresses, mainName: "build" });
  checkBaseline(whole, job);
  return job;
}

/** The Job without the containers that build images, which are the platform's own. */
function withoutBuilds(job: ReturnType<typeof manifestOf>) {
  const copy = structuredClone(job) as typeof job & {
    spec: { template: { spec: { initContainers: { name: string }[] } } };
  };
  const { spec } = copy.spec.template;
  spec.initContainers = spec.initContainers.filter(({ name }) => name !== "image");
  return copy;
}

describe("the pod of a job", () => {
  test.each(Object.values(steps))("with a step of kind $kind keeps the standard baseline", (step) => {
    const job = manifestOf({ steps: [step] });
    expect(podSecurityProblem(withoutBuilds(job), "baseline")).toBeUndefined();
    const whole = podSecurityProblem(job, "baseline");
    if (step.kind === "imageBuild") expect(whole).toContain('container "image" must not set');
    else expect(whole).toBeUndefined();
  });

  test.each(["privileged", "rootless"] as const)(
    "needs more for what BuildKit does %s, and for nothing else",
    (mode) => {
      const job = manifestOf({ steps: Object.values(steps) }, mode);
      expect(podSecurityProblem(job, "baseline")).toContain('"image"');
      expect(podSecurityProblem(withoutBuilds(job), "baseline")).toBeUndefined();
    },
  );

  test("has more than baseline where its project lets it, and needs it then alone", () => {
    for (const wide of [{ privileged: true }, { hostDocker: true }])
      expect(podSecurityProblem(manifestOf({ steps: [steps.script], ...wide }), "baseline")).toBeDefined();
  });

  test("is refused where annotations take more, naming what", () => {
    const annotations = { "container.apparmor.security.beta.kubernetes.io/script": "unconfined" };
    expect(() => manifestOf({ steps: [steps.script], annotations })).toThrow(
      /^the job's pod violates the Pod Security Standard "baseline": forbidden AppArmor profile/,
    );
    expect(manifestOf({ steps: [steps.script], annotations, privileged: true })).toBeDefined();
  });
});
