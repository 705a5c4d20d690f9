import { buildArguments } from "./buildArguments.ts";
import { certificateFiles, hostOf } from "./buildkitConfig.ts";
import type {
  ArchiveStep,
  CommandStep,
  ContainerJob,
  ContainerResources,
  ContainerStep,
  EnvironmentVariable,
  GitStep,
  ImageBuildStep,
  ScriptStep,
} from "./containerJob.ts";
import { ContainerJobInvalid } from "./containerJobInvalid.ts";
import { literal, markCredentials, markedVariables, markOf } from "./credentialMarks.ts";
import { gitVariables } from "./gitVariables.ts";
import { entries } from "./jobSecret.ts";
import { absolutePath, filesPath, reasonPath, workspacePath } from "./paths.ts";
import { fileMount, type Mount } from "./podVolumes.ts";
import { cloneRepositories } from "./scripts/cloneRepositories.ts";
import { collectOutputs, runScript } from "./scripts/runScript.ts";
import { stepFrame } from "./scripts/stepFrame.ts";
import { uploadFiles } from "./scripts/uploadFiles.ts";

/** What BuildKit says of a registry that it did not get an answer from. A command that fails by itself ends otherwise. */
const unreached =
  "failed to do request.*(i/o timeout|TLS handshake timeout|connection refused|connection reset|no route to host|EOF)";

/**
 * Builds and pushes with BuildKit; the arguments are buildctl's. The wrapper asks its own daemon ten times, about every
 * tenth of a second, and gives up; a busy node needs longer (moby/buildkit#1423), so it may ask for about a minute.
 * BuildKit asks a registry for what a base image is only once; where no answer comes, the build continues in a
 * second or third try with what it has already built.
 */
export const buildImage = `
if ! command -v buildctl-daemonless.sh >/dev/null 2>&1; then
  echo "building an image needs a cluster: there is no BuildKit here (the sandbox runs commands, not images)" > ${reasonPath}
  cat ${reasonPath}
  exit 127
fi
export BUILDCTL_CONNECT_RETRIES_MAX="\${BUILDCTL_CONNECT_RETRIES_MAX:-600}"
said=$(mktemp)
for try in 1 2 3; do
  { { buildctl-daemonless.sh build --progress=plain "$@" 2>&1; echo $? > "$said.code"; } | tee "$said"; } || :
  code=$(cat "$said.code")
  if [ "$code" = 0 ] || [ $try = 3 ] || ! tail -n 3 "$said" | grep -Eqi '^error: .*${unreached}'; then break; fi
  echo "a registry did not answer; the build is tried again"
done
rm -f "$said" "$said.code"
exit "$code"
`;

/** Images of the containers that are ours, and how BuildKit runs (settings `SLIPWAY_IMAGE_…`). */
export interface ToolImages {
  git: string;
  buildkit: string;
  tools: string;
  buildkitMode: "privileged" | "rootless";
}

export interface PodContext {
  job: ContainerJob;
  images: ToolImages;
  shared: readonly Mount[];
  scripts: readonly Mount[];
  cache: readonly Mount[];
}

/** A container of the pod; nothing in it is expanded by Kubernetes. */
export interface ContainerParts {
  name: string;
  image: string;
  /** A script of ours and its arguments, run in the frame of a step. */
  framed?: { script: string; args: readonly string[]; always?: boolean };
  command?: readonly string[];
  args?: readonly string[];
  plain?: Readonly<Record<string, string>>;
  /** Variables by the entry of the job's Secret that holds their value. */
  secret?: Readonly<Record<string, string>>;
  mounts?: readonly Mount[];
  more?: Readonly<Record<string, unknown>>;
}

/** Where BuildKit keeps its layers. */
const buildkitPath = "/slipway-buildkit";

/** Our own images run as root, whatever user they were made for: their files must be readable by everyone. */
export const asRoot = { securityContext: { runAsUser: 0, runAsGroup: 0 } };

/** One step as a container. @throws ContainerJobInvalid */
export function stepContainer(step: ContainerStep, context: PodContext): object {
  return container(partsOf(step, context), context);
}

export function container(parts: ContainerParts, { job, shared }: PodContext): object {
  const { name, image, framed, plain = {}, secret = {}, mounts = [], more = {} } = parts;
  const command = framed === undefined ? parts.command : ["sh", "-c", stepFrame, "sh", name];
  const args = framed === undefined ? parts.args : frameArguments(job, framed);
  return {
    name,
    image,
    ...(command !== undefined && command.length > 0 && { command: command.map(literal) }),
    ...(args !== undefined && args.length > 0 && { args: args.map(literal) }),
    env: [
      ...Object.entries(plain).map(([variable, value]) => ({ name: variable, value: literal(value) })),
      ...Object.entries(secret).map(([variable, key]) => ({
        name: variable,
        valueFrom: { secretKeyRef: { name: job.name, key } },
      })),
    ],
    volumeMounts: [...shared, ...mounts],
    terminationMessagePolicy: "FallbackToLogsOnError",
    ...more,
  };
}

function frameArguments(job: ContainerJob, framed: NonNullable<ContainerParts["framed"]>): string[] {
  // The entry point of an image cannot look whether an earlier step failed.
  const unframed = job.steps.some((step) => step.kind === "command" && step.command.length === 0);
  const { script, args, always } = framed;
  return [always === true ? "always" : "normal", unframed ? "stop" : "carry", script, ...args];
}

function partsOf(step: ContainerStep, context: PodContext): ContainerParts {
  switch (step.kind) {
    case "git":
      return gitParts(step, context);
    case "script":
      return scriptParts(step, context);
    case "command":
      return commandParts(step, context);
    case "imageBuild":
      return imageBuildParts(step, context);
    case "archive":
      return archiveParts(step, context);
  }
}

function gitParts(step: GitStep, { images }: PodContext): ContainerParts {
  const { plain, secret, keyFiles } = gitVariables(step);
  const entry = (name: string) => entries.repository(step.name, name);
  return {
    name: step.name,
    image: images.git,
    framed: { script: cloneRepositories, args: [] },
    plain,
    secret: Object.fromEntries(Object.keys(secret).map((name) => [name, entry(name)])),
    mounts: Object.keys(keyFiles).map((name) => fileMount(entry(name), name)),
    more: asRoot,
  };
}

function scriptParts(step: ScriptStep, context: PodContext): ContainerParts {
  const { job } = context;
  const packages = step.packages.map(({ name, version }) => (version === "" ? name : `${name}=${version}`)).join(" ");
  // A name that begins with a digit is no variable of a shell; its value can come in a file.
  const names = job.outputs.filter((name) => /^[A-Za-z_]/.test(name));
  return {
    name: step.name,
    image: step.image,
    framed: { script: runScript, args: [packages, collectOutputs, ...names], always: step.always ?? false },
    ...userVariables(job),
    mounts: [...context.scripts, fileMount(entries.script(step.name), "script")],
    more: { ...userContainer(job), workingDir: workspacePath },
  };
}

function commandParts(step: CommandStep, context: PodContext): ContainerParts {
  const { job } = context;
  const { name, image } = step;
  const hidden = markCredentials(job.masks);
  const [command, args] = [step.command.map(hidden), step.args.map(hidden)];
  const how = command.length > 0 ? { framed: { script: 'exec "$@"', args: [...command, ...args] } } : { command, args };
  const { secret, ...variables } = userVariables(job);
  const marked = markedEntries([...command, ...args]);
  return {
    name,
    image,
    ...how,
    ...variables,
    secret: { ...secret, ...marked },
    mounts: context.scripts,
    more: userContainer(job),
  };
}

/** Entries of the Secret for the variables that marks in these arguments name. */
function markedEntries(args: readonly string[]): Record<string, string> {
  return Object.fromEntries([...markedVariables(args)].map((name) => [name, entries.variable(name)]));
}

function userContainer({ privileged, resources }: ContainerJob): Record<string, unknown> {
  return {
    resources: podResources(resources),
    ...(privileged && { securityContext: { privileged: true } }),
  };
}

/** A credential of the same name wins over a plain variable, a later variable over an earlier one. */
function userVariables({ env, secretEnv }: ContainerJob): Pick<ContainerParts, "plain" | "secret"> {
  const hidden = new Set(secretEnv.map(({ name }) => name));
  return {
    plain: Object.fromEntries(env.filter(({ name }) => !hidden.has(name)).map(({ name, value }) => [name, value])),
    secret: Object.fromEntries(secretEnv.map(({ name }: EnvironmentVariable) => [name, entries.variable(name)])),
  };
}

function imageBuildParts(step: ImageBuildStep, context: PodContext): ContainerParts {
  const { job, images } = context;
  const rootless = images.buildkitMode === "rootless";
  const args = buildctlArguments(step, job);
  const config = [`--config=${filesPath}/${entries.buildkit}`, `--root=${buildkitPath}`];
  const flags = [...config, ...(rootless ? ["--oci-worker-no-process-sandbox"] : [])];
  return {
    name: step.name,
    image: images.buildkit,
    framed: { script: buildImage, args },
    plain: { BUILDKITD_FLAGS: flags.join(" "), DOCKER_CONFIG: `${filesPath}/docker` },
    secret: markedEntries(args),
    mounts: [
      ...context.scripts,
      { name: "buildkit", mountPath: buildkitPath },
      fileMount(entries.dockerConfig, "docker/config.json"),
      fileMount(entries.buildkit, entries.buildkit),
      ...Object.keys(certificateFiles(job.registries)).map((name) => fileMount(name, name)),
      ...(step.dockerfileText === undefined ? [] : [fileMount(entries.dockerfile(step.name), "dockerfile/Dockerfile")]),
    ],
    more: {
      resources: podResources(job.resources),
      securityContext: rootless
        ? {
            runAsUser: 1000,
            runAsGroup: 1000,
            seccompProfile: { type: "Unconfined" },
            appArmorProfile: { type: "Unconfined" },
          }
        : { privileged: true, runAsUser: 0 },
    },
  };
}

function buildctlArguments(step: ImageBuildStep, { env, secretEnv, masks, registries }: ContainerJob): string[] {
  const hidden = markCredentials(masks);
  const marked = secretEnv.map(({ name }) => ({ name, value: markOf(name) }));
  const expanded = (text: string) => expandVariables(text, [...env, ...marked]);
  const context = absolutePath(expanded(hidden(step.contextDirectory)) || ".");
  const file =
    step.dockerfileText === undefined
      ? absolutePath(expanded(hidden(step.dockerfile)) || "Dockerfile", context)
      : `${filesPath}/dockerfile/Dockerfile`;
  const slash = file.lastIndexOf("/");
  const cache = `type=registry,ref=${step.cacheImage}`;
  const insecure = registries.some(
    ({ tlsEnabled, address }) => step.image.startsWith(`${hostOf(address)}/`) && !tlsEnabled,
  );
  const { platforms } = step;
  return [
    ...["--frontend=dockerfile.v0", `--local=context=${context}`, `--local=dockerfile=${file.slice(0, slash) || "/"}`],
    ...["--opt", `filename=${file.slice(slash + 1)}`],
    // After they are told apart, so that a value adds no option.
    ...buildArguments(hidden(step.buildArgs)).map(expanded),
    ...(platforms.trim() === "" ? [] : ["--opt", `platform=${platforms.replaceAll(/\s/g, "")}`]),
    `--output=type=image,name=${step.image},push=true${insecure ? ",registry.insecure=true" : ""}`,
    ...(step.cacheImage === ""
      ? []
      : [`--import-cache=${cache}`, `--export-cache=${cache},mode=max,ignore-error=true`]),
  ];
}

function archiveParts(step: ArchiveStep, context: PodContext): ContainerParts {
  const plain: Record<string, string> = { UPLOAD_COUNT: String(step.uploads.length) };
  for (const [at, { path, required }] of step.uploads.entries()) {
    plain[`UPLOAD_${at}_PATH`] = absolutePath(expandVariables(path, context.job.env));
    plain[`UPLOAD_${at}_REQUIRED`] = String(required);
  }
  return {
    name: step.name,
    image: context.images.tools,
    framed: { script: uploadFiles, args: [], always: step.always ?? false },
    plain,
    secret: Object.fromEntries(step.uploads.map((_, at) => [`UPLOAD_${at}_URL`, entries.upload(step.name, at)])),
    mounts: context.scripts,
    more: asRoot,
  };
}

/** Replaces `$NAME` and `${NAME}` by values of variables; unknown names stay as they are. */
export function expandVariables(text: string, variables: readonly EnvironmentVariable[]): string {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  return text.replace(
    /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g,
    (whole, braced: string | undefined, plain: string | undefined) => values.get(braced ?? plain ?? "") ?? whole,
  );
}

interface Quantities {
  limits?: Record<string, string>;
  requests?: Record<string, string>;
}

/** The resources in Kubernetes' words. @throws ContainerJobInvalid for a gpu_limit that is no `<resource name>: <n>` */
function podResources(resources: ContainerResources): Quantities {
  const { cpuLimitMilli, memoryLimitMib, cpuRequestMilli, memoryRequestMib, gpuLimit } = resources;
  const limits = { ...quantities(cpuLimitMilli, memoryLimitMib), ...gpuOf(gpuLimit) };
  const requests = quantities(cpuRequestMilli, memoryRequestMib);
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(requests).length > 0 && { requests }),
  };
}

function quantities(cpuMilli: number | undefined, memoryMib: number | undefined): Record<string, string> {
  return {
    ...(cpuMilli !== undefined && { cpu: `${cpuMilli}m` }),
    ...(memoryMib !== undefined && { memory: `${memoryMib}Mi` }),
  };
}

function gpuOf(text: string): Record<string, string> {
  if (text.trim() === "") return {};
  const [, name, count] = /^\s*([A-Za-z0-9][A-Za-z0-9./_-]*)\s*:\s*(\d+)\s*$/.exec(text) ?? [];
  if (name !== undefined && count !== undefined) return { [name]: count };
  throw new ContainerJobInvalid(
    `gpu_limit ${JSON.stringify(text)} is not of the form <resource name>: <number>, for example nvidia.com/gpu: 1`,
  );
}
