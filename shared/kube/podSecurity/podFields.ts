import * as z from "zod";
import { pathText, readValue } from "../../base/common/readValue.ts";

// The API server reads null as absent, so every field may be null.
const flag = z.boolean().nullish();
const text = z.string().nullish();
const typed = z.object({ type: text }).nullish();
const windowsOptions = z.object({ hostProcess: flag }).nullish();
const seLinuxOptions = z.object({ type: text, user: text, role: text }).nullish();

const profiles = {
  appArmorProfile: typed,
  seccompProfile: typed,
  seLinuxOptions,
  windowsOptions,
  runAsNonRoot: flag,
  runAsUser: z.number().nullish(),
};

const handler = z
  .object({ httpGet: z.object({ host: text }).nullish(), tcpSocket: z.object({ host: text }).nullish() })
  .nullish();

// Among texts null is empty text.
const names = z
  .array(
    z
      .string()
      .nullable()
      .transform((name) => name ?? ""),
  )
  .nullish();

const container = z.object({
  name: text,
  ports: z.array(z.object({ hostPort: z.number().nullish(), containerPort: z.number().nullish() })).nullish(),
  livenessProbe: handler,
  readinessProbe: handler,
  startupProbe: handler,
  lifecycle: z.object({ postStart: handler, preStop: handler }).nullish(),
  securityContext: z
    .object({
      ...profiles,
      privileged: flag,
      allowPrivilegeEscalation: flag,
      procMount: text,
      capabilities: z.object({ add: names, drop: names }).nullish(),
    })
    .nullish(),
});

const template = z.object({
  metadata: z.object({ annotations: z.record(z.string(), text).nullish() }).nullish(),
  spec: z
    .object({
      hostNetwork: flag,
      hostPID: flag,
      hostIPC: flag,
      hostUsers: flag,
      os: z.object({ name: text }).nullish(),
      securityContext: z.object({ ...profiles, sysctls: z.array(z.object({ name: text })).nullish() }).nullish(),
      volumes: z.array(z.looseObject({ name: text })).nullish(),
      initContainers: z.array(container).nullish(),
      containers: z.array(container).nullish(),
      ephemeralContainers: z.array(container).nullish(),
    })
    .nullish(),
});

export type Container = z.output<typeof container> & { name: string };

/** The fields of a pod that Pod Security Standards look at. */
export interface PodFields extends NonNullable<z.output<typeof template>["spec"]> {
  annotations: Readonly<Record<string, string | null | undefined>>;
  /** Containers that begin, then those that run, then those for debugging: the order in which violations name them. */
  all: readonly Container[];
}

/**
 * Reads a pod or pod template (`{metadata, spec}`) of a manifest, or says what in it the API server cannot read either,
 * such as `spec.containers must be a list`. Whatever is absent stays absent, but for host ports: the API server gives
 * every port of a pod with `hostNetwork` the same port of the host.
 */
export function readPod(value: unknown): PodFields | { unreadable: string } {
  const read = readValue(template, value);
  if (read.refused) return { unreadable: read.refused.map(sentence).join(", ") };
  const { metadata, spec } = read.data;
  const { initContainers, containers, ephemeralContainers, ...fields } = spec ?? {};
  const started = [...(initContainers ?? []), ...(containers ?? [])].map((one) =>
    fields.hostNetwork === true ? withHostPorts(one) : one,
  );
  return {
    ...fields,
    annotations: metadata?.annotations ?? {},
    all: [...started, ...(ephemeralContainers ?? [])].map((one) => ({ ...one, name: one.name ?? "" })),
  };
}

function sentence({ path, message }: { path: PropertyKey[]; message: string }): string {
  return `${path.length === 0 ? "it" : pathText(path)} ${message}`;
}

function withHostPorts<T extends z.output<typeof container>>(one: T): T {
  return { ...one, ports: one.ports?.map((port) => ({ ...port, hostPort: port.hostPort || port.containerPort })) };
}
