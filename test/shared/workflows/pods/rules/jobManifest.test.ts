import { describe, expect, test } from "vitest";
import type {
  ContainerJob,
  ContainerStep,
  JobRepository,
} from "../../../../../shared/workflows/pods/rules/containerJob.ts";
import { jobManifest } from "../../../../../shared/workflows/pods/rules/jobManifest.ts";
import type { ToolImages } from "../../../../../shared/workflows/pods/rules/stepContainer.ts";

interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  volumeMounts: { name: string; mountPath: string; subPath?: string }[];
  resources?: unknown;
  securityContext?: Record<string, unknown>;
}

interface Pod {
  initContainers: Container[];
  containers: Container[];
  volumes: { name: string; secret?: { items: { key: string; mode: number }[] } }[];
  [field: string]: unknown;
}

const images: ToolImages = { git: "git:1", buildkit: "buildkit:1", tools: "tools:1", buildkitMode: "privileged" };
const step: ContainerStep = { kind: "script", name: "script", image: "user:1", script: "echo $(id)", packages: [] };
const base: ContainerJob = {
  jobRecordId: "0123456789abcdef01234567",
  name: "ship-it-7-0123456789",
  clusterId: "0123456789abcdef12345678",
  namespace: "slipway-jobs",
  jobTaskName: "build",
  jobType: "zadig_build",
  steps: [step],
  env: [],
  secretEnv: [],
  masks: [],
  outputs: [],
  timeoutMinutes: 60,
  resources: { gpuLimit: "" },
  placement: { nodeLabels: [], strategy: "normal", tolerations: [] },
  labels: {},
  annotations: {},
  volumes: [],
  ignoreCache: false,
  privileged: false,
  hostDocker: false,
  registries: [],
};
const repository: JobRepository = {
  address: "https://git.example.org:8443/shop/web.git",
  access: { kind: "none" },
  checkoutPath: "web",
  remoteName: "origin",
  ...{ tag: "", commitId: "", branch: "main", mergeBranches: [], pullRequests: [] },
  ...{ pullRefs: "pull", submodules: false, disableSsl: false, commitVariable: "" },
};

function made(changes: Partial<ContainerJob> = {}, more: Partial<ToolImages> = {}) {
  const context = { images: { ...images, ...more }, signed: new Map(), mainName: "build" };
  const manifest = jobManifest({ ...base, ...changes }, context);
  const spec = manifest.job.spec as { template: { spec: Pod }; [field: string]: unknown };
  const data = Object.entries(manifest.secret.data as Record<string, string>);
  const secret = Object.fromEntries(data.map(([key, text]) => [key, Buffer.from(text, "base64").toString("utf8")]));
  return { manifest, spec, pod: spec.template.spec, steps: spec.template.spec.initContainers, secret };
}

describe("the Job of a job", () => {
  test("has the labels, limits and lifetime of the contract, and is suspended until its Secret is there", () => {
    const { manifest, spec } = made({
      labels: { team: "shop", "s-name": "mine", "slipway.dev/job": "mine" },
      annotations: { note: "x" },
    });
    const labels = { team: "shop", "s-name": base.name, "s-type": "zadig-build", "slipway.dev/job": base.jobRecordId };
    expect(manifest.job.metadata).toEqual({
      ...{ name: base.name, namespace: "slipway-jobs" },
      ...{ labels, annotations: { note: "x" } },
    });
    const { template, ...rest } = spec;
    expect(rest).toEqual({
      ...{ suspend: true, backoffLimit: 0, completions: 1, parallelism: 1 },
      ...{ ttlSecondsAfterFinished: 3600, activeDeadlineSeconds: 60 * 60 + 3600 },
    });
    expect(template).toMatchObject({
      metadata: { labels },
      spec: { restartPolicy: "Never", automountServiceAccountToken: false },
    });
    expect(made({ timeoutMinutes: 0 }).spec.activeDeadlineSeconds).toBe(600 * 60 + 3600);
  });

  test("is the same whenever it is made", () => {
    expect(made().manifest).toEqual(made().manifest);
  });

  test("holds neither scripts nor credentials: they stand in the Secret, each where it is needed alone", () => {
    const git: ContainerStep = {
      kind: "git",
      name: "git",
      repositories: [
        { ...repository, access: { kind: "password", username: "ada", password: "t0ken-value" } },
        { ...repository, address: "git@host:a/b.git", access: { kind: "ssh", privateKey: "pr1vate-key" } },
      ],
    };
    const { manifest, secret, steps, pod } = made({
      steps: [git, step],
      secretEnv: [
        { name: "KEY", value: "cred3ntial" },
        { name: "DOCKER_REGISTRY_AK", value: "admin" },
      ],
      env: [{ name: "KEY", value: "plain" }],
      masks: ["also"],
      registries: [
        { address: "https://r.example.org", username: "u", password: "pa55word", tlsCertificate: "", tlsEnabled: true },
      ],
    });
    const text = JSON.stringify(manifest.job);
    for (const hidden of ["t0ken-value", "pr1vate-key", "cred3ntial", "pa55word", "echo $$(id)", "echo $(id)"])
      expect(text).not.toContain(hidden);
    expect(secret["script-script"]).toBe("echo $(id)");
    expect(JSON.parse(secret.masks ?? "")).toEqual([
      ...["cred3ntial", "also", "t0ken-value", "pr1vate-key", "pa55word"],
      Buffer.from("u:pa55word").toString("base64"),
    ]);
    const [clone, run] = steps;
    expect(clone?.env.filter(({ valueFrom }) => valueFrom !== undefined).map(({ name }) => name)).toEqual([
      "REPO_0_PASSWORD",
    ]);
    const fromSecret = (name: string) => ({
      name,
      valueFrom: { secretKeyRef: { name: base.name, key: `env-${name}` } },
    });
    expect(run?.env).toEqual([fromSecret("KEY"), fromSecret("DOCKER_REGISTRY_AK")]);
    const files = (container: Container | undefined) =>
      container?.volumeMounts.filter(({ name }) => name === "files").map(({ subPath }) => subPath);
    expect([files(clone), files(run), files(pod.containers[0])]).toEqual([["git-git-ssh-1"], ["script-script"], []]);
    const modes = pod.volumes.find(({ name }) => name === "files")?.secret?.items;
    expect(modes).toEqual([
      { key: "git-git-ssh-1", path: "git-git-ssh-1", mode: 0o400 },
      { key: "script-script", path: "script-script", mode: 0o444 },
    ]);
    expect(manifest.pullSecret?.type).toBe("kubernetes.io/dockerconfigjson");
    expect(pod.imagePullSecrets).toEqual([{ name: `${base.name}-pull` }]);
  });

  test("lets Kubernetes expand nothing", () => {
    const command: ContainerStep = { kind: "command", name: "plugin", image: "p:1", command: ["run"], args: ["$(A)"] };
    const { steps } = made({ steps: [command], env: [{ name: "A", value: "$(B) $$ $C" }] });
    expect(steps[0]?.args?.at(-1)).toBe("$$(A)");
    expect(steps[0]?.env).toEqual([{ name: "A", value: "$$(B) $$$$ $$C" }]);
    const whole = JSON.stringify([steps[0]?.command, steps[0]?.args]).replaceAll("$$", "");
    expect(whole).not.toContain("$");
  });

  test("holds no credential in arguments: Kubernetes takes it from the Secret, the longest that fits", () => {
    const masks = ["", "s3cret", "s3cret-$(A).+long"];
    const text = "a s3cret-$(A).+long b s3cret $(A) \0A\0";
    const [key, longKey] = ["SLIPWAY_CREDENTIAL_1", "SLIPWAY_CREDENTIAL_2"];
    const build: ContainerStep = {
      ...{ kind: "imageBuild", name: "image", image: "r.example.org/web:1", contextDirectory: "s3cret/web" },
      ...{ dockerfile: "", buildArgs: "--build-arg TOKEN=s3cret", platforms: "", cacheImage: "" },
    };
    for (const command of [["run", text], []]) {
      const plugin: ContainerStep = { kind: "command", name: "plugin", image: "p:1", command, args: [text] };
      const { manifest, steps, secret } = made({ steps: [plugin, build], masks });
      expect(JSON.stringify(manifest.job)).not.toContain("s3cret");
      expect(steps[0]?.args?.at(-1)).toBe(`a $(${longKey}) b $(${key}) $$(A) A`);
      expect(steps[1]?.args).toEqual(expect.arrayContaining([`build-arg:TOKEN=$(${key})`]));
      const names = (at: number) => steps[at]?.env.filter(({ valueFrom }) => valueFrom).map(({ name }) => name);
      expect([names(0), names(1)]).toEqual([[longKey, key], [key]]);
      expect([secret[`env-${key}`], secret[`env-${longKey}`]]).toEqual(["s3cret", "s3cret-$(A).+long"]);
    }
  });

  test("leaves each container the share of the pod's messages that Kubernetes gives it", () => {
    const messageBytes = (steps: number) =>
      made({ steps: Array.from({ length: steps }, (_, at) => ({ ...step, name: `s${at}` })) }).pod.containers[0]
        ?.args?.[2];
    expect([messageBytes(1), messageBytes(2), messageBytes(5)]).toEqual(["4096", "4096", "2048"]);
  });

  test("stops at a failed step where an image runs as it is", () => {
    const plugin: ContainerStep = { kind: "command", name: "plugin", image: "p:1", command: [], args: ["a"] };
    const { steps } = made({ steps: [step, plugin] });
    expect(steps[0]?.args?.[1]).toBe("stop");
    expect([steps[1]?.command, steps[1]?.args]).toEqual([undefined, ["a"]]);
    expect(made().steps[0]?.args?.[1]).toBe("carry");
  });

  test("gives scripts their resources, volumes, privileges and the node's Docker, and nobody else", () => {
    const { steps, pod, manifest } = made({
      steps: [{ kind: "git", name: "git", repositories: [repository] }, step],
      resources: { cpuLimitMilli: 500, memoryLimitMib: 64, cpuRequestMilli: 100, gpuLimit: "nvidia.com/gpu: 2" },
      privileged: true,
      hostDocker: true,
      volumes: [
        { path: "/data", subpath: "/a/", claim: { kind: "existing", name: "mine" } },
        {
          path: "cache",
          subpath: "",
          claim: {
            kind: "made",
            name: "new",
            sizeGib: 3,
            storageClass: "fast",
            accessMode: "ReadWriteOnce",
            temporary: true,
          },
        },
      ],
    });
    const [git, script] = steps;
    expect(script?.resources).toEqual({
      limits: { cpu: "500m", memory: "64Mi", "nvidia.com/gpu": "2" },
      requests: { cpu: "100m" },
    });
    expect([script?.securityContext, git?.securityContext]).toEqual([
      { privileged: true },
      { runAsUser: 0, runAsGroup: 0 },
    ]);
    const places = script?.volumeMounts.map(({ mountPath, subPath }) => `${mountPath} ${subPath ?? ""}`);
    expect(places).toEqual(
      expect.arrayContaining([
        "/data a",
        "/workspace/cache ",
        "/var/run/docker.sock ",
        "/slipway-files/script script-script",
      ]),
    );
    expect(git?.resources).toBeUndefined();
    expect(git?.volumeMounts.map(({ name }) => name)).toEqual(["workspace", "state", "state"]);
    expect(pod.volumes.map(({ name }) => name)).toEqual([
      "workspace",
      "state",
      "files",
      "storage-0",
      "storage-1",
      "docker",
    ]);
    expect(manifest.claims).toMatchObject([
      {
        temporary: true,
        claim: {
          metadata: { name: "new" },
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: "3Gi" } },
            storageClassName: "fast",
          },
        },
      },
    ]);
  });

  test("runs where its strategy says", () => {
    const nodeLabels = ["zone=a", "zone=b", "disk:ssd"];
    const tolerations = [{ key: "build", operator: "Exists" }];
    const matchExpressions = [
      { key: "zone", operator: "In", values: ["a", "b"] },
      { key: "disk", operator: "In", values: ["ssd"] },
    ];
    const pod = (strategy: "normal" | "required" | "preferred") =>
      made({ placement: { nodeLabels, strategy, tolerations } }).pod;
    expect(pod("normal")).toMatchObject({ tolerations });
    expect(pod("normal").affinity).toBeUndefined();
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } };
    expect(pod("required").affinity).toEqual({ nodeAffinity: required });
    expect(JSON.stringify(pod("preferred").affinity)).toContain("preferredDuringScheduling");
  });

  test("mounts a cache on a claim where scripts expect it, the workspace itself too", () => {
    const medium = { kind: "claim", name: "nfs", subpath: "shop" } as const;
    const whole = made({ cache: { directory: "/workspace", medium } });
    expect(whole.pod.volumes[0]).toEqual({ name: "workspace", persistentVolumeClaim: { claimName: "nfs" } });
    expect(whole.steps[0]?.volumeMounts[0]).toEqual({ name: "workspace", mountPath: "/workspace", subPath: "shop" });
    const part = made({ cache: { directory: "/var/m2", medium } });
    expect(part.steps[0]?.volumeMounts).toContainEqual({ name: "cache", mountPath: "/var/m2", subPath: "shop" });
    expect(made({ cache: { directory: "/var/m2", medium }, ignoreCache: true }).pod.volumes.length).toBe(3);
  });

  test("builds images with BuildKit, by the registry's own rules", () => {
    const build: ContainerStep = {
      ...{ kind: "imageBuild", name: "image", image: "r.example.org/shop/web:1", contextDirectory: "$WORKSPACE/web" },
      ...{ dockerfile: "docker/Dockerfile", buildArgs: "--build-arg A=$WHAT", platforms: "linux/amd64, linux/arm64" },
      cacheImage: "r.example.org/shop/web:cache",
    };
    const registries = [
      { address: "http://r.example.org/", username: "", password: "", tlsCertificate: "PEM", tlsEnabled: true },
      { address: "https://plain.example.org", username: "", password: "", tlsCertificate: "", tlsEnabled: false },
    ];
    const env = [
      { name: "WORKSPACE", value: "/workspace" },
      { name: "WHAT", value: "x y" },
    ];
    const { steps, secret, pod } = made({ steps: [build], registries, env });
    const args = steps[0]?.args ?? [];
    expect(args.slice(3)).toEqual([
      ...["--frontend=dockerfile.v0", "--local=context=/workspace/web", "--local=dockerfile=/workspace/web/docker"],
      ...["--opt", "filename=Dockerfile", "--opt", "build-arg:A=x y", "--opt", "platform=linux/amd64,linux/arm64"],
      "--output=type=image,name=r.example.org/shop/web:1,push=true",
      "--import-cache=type=registry,ref=r.example.org/shop/web:cache",
      "--export-cache=type=registry,ref=r.example.org/shop/web:cache,mode=max,ignore-error=true",
    ]);
    expect(secret["buildkitd.toml"]).toBe(
      '[registry."r.example.org"]\nhttp = true\nca = ["/slipway-files/ca-0.pem"]\n[registry."plain.example.org"]\ninsecure = true\n',
    );
    expect(steps[0]?.securityContext).toEqual({ privileged: true, runAsUser: 0 });
    expect(pod.volumes.map(({ name }) => name)).toContain("buildkit");
    const rootless = made({ steps: [build], env }, { buildkitMode: "rootless" }).steps[0];
    expect(rootless?.securityContext).toMatchObject({ runAsUser: 1000, seccompProfile: { type: "Unconfined" } });
  });

  test("gives a build credentials as arguments without writing them down", () => {
    const build: ContainerStep = {
      ...{ kind: "imageBuild", name: "image", image: "r.example.org/web:1", contextDirectory: "", dockerfile: "" },
      ...{ buildArgs: "--build-arg TOKEN=$TOKEN --build-arg B=$(OTHER)", platforms: "", cacheImage: "" },
    };
    const secretEnv = ["TOKEN", "OTHER"].map((name) => ({ name, value: `of ${name}` }));
    const container = made({ steps: [build], secretEnv }).steps[0];
    expect(container?.args).toEqual(expect.arrayContaining(["build-arg:TOKEN=$(TOKEN)", "build-arg:B=$$(OTHER)"]));
    const valueFrom = { secretKeyRef: { name: base.name, key: "env-TOKEN" } };
    expect(container?.env).toContainEqual({ name: "TOKEN", valueFrom });
    expect(container?.env.map(({ name }) => name)).not.toContain("OTHER");
  });

  test.each<[string, Partial<ContainerJob>, string]>([
    ["a variable", { env: [{ name: "a b", value: "" }] }, 'variable "a b": names consist'],
    ["an output", { outputs: ["A-B"] }, 'output "A-B": names hold 1 to 64'],
    ["two steps of one name", { steps: [step, step] }, 'step "script": names are unique'],
    ["an image", { steps: [{ ...step, image: "a b" } as ContainerStep] }, '"a b" is not an image reference'],
    ["a package", { steps: [{ ...step, packages: [{ name: "a;b", version: "" }] } as ContainerStep] }, 'package "a;b"'],
    ["a gpu_limit", { resources: { gpuLimit: "two" } }, 'gpu_limit "two" is not of the form'],
    ["a large script", { steps: [{ ...step, script: "x".repeat(1_000_001) } as ContainerStep] }, "at most 1000000 fit"],
  ])("is refused for %s that no cluster would take", (_, changes, message) => {
    expect(() => made(changes)).toThrow(message);
  });

  test.each<[Partial<JobRepository>, string]>([
    [{ checkoutPath: "../x" }, "repository shop/web.git: checkout_path ../x leaves the workspace"],
    [{ branch: "-x" }, '"-x" is not a valid name of a branch or tag'],
    [{ branch: "a b" }, '"a b" is not a valid name'],
    [{ mergeBranches: ["a..b"] }, '"a..b" is not a valid name'],
    [{ commitId: "$(id)" }, "commit_id $(id) is no commit"],
    [{ remoteName: "--x" }, "remote_name --x is not a valid name of a remote"],
    [{ branch: "" }, "neither tag, commit, branch nor pull request is given"],
    [{ address: "ext::sh -c id" }, "its address is neither http, https nor ssh"],
    [{ address: "--upload-pack=x" }, "its address is neither http, https nor ssh"],
    [{ address: "https://u:p@host/a.git" }, "its address holds credentials"],
    [{ access: { kind: "password", username: "a", password: "b\nhost=evil" } }, "its credentials hold a line break"],
  ])("is refused for a repository with %o", (changes, message) => {
    const git: ContainerStep = { kind: "git", name: "git", repositories: [{ ...repository, ...changes }] };
    expect(() => made({ steps: [git] })).toThrow(message);
  });
});
