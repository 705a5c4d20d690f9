import fc from "fast-check";
import type { PodSecurityLevel } from "../../../../shared/kube/podSecurity/podViolations.ts";

type Fields = Record<string, unknown>;
type Place = "containers" | "initContainers";

/** A pod that differs from one that keeps every level, and the controls that it violates then, in Kubernetes' order. */
export interface Variant {
  what: string;
  base?: "conforming" | "bare" | "windows" | "named";
  annotations?: Fields;
  /** Fields of the pod's spec. */
  pod?: Fields;
  /** Fields of the pod's security context. */
  context?: Fields;
  /** Fields of a container. */
  container?: Fields;
  /** Fields of a container's security context. */
  own?: Fields;
  /** Fields of the security context of every container. */
  every?: Fields;
  violates: Record<Exclude<PodSecurityLevel, "privileged">, readonly string[]>;
}

export interface TestPod {
  metadata: { annotations: Fields };
  spec: Fields & { containers: Fields[]; initContainers?: Fields[] };
}

type Change = Omit<Variant, "what" | "violates">;

const keeps = { baseline: [], restricted: [] };
const both = (...controls: string[]) => ({ baseline: controls, restricted: controls });
const restricted = (...controls: string[]) => ({ baseline: [], restricted: controls });
const each = (baseline: string, strict: string) => ({ baseline: [baseline], restricted: [strict] });

const profile = (type: string): Fields => ({ type, ...(type === "Localhost" && { localhostProfile: "p.json" }) });
const port = (hostPort?: unknown): Fields => ({
  ports: [{ containerPort: 8080, ...(hostPort !== undefined && { hostPort }) }],
});
const annotation = (value: string): Fields => ({ "container.apparmor.security.beta.kubernetes.io/web": value });
const get = (host?: unknown): Fields => ({ httpGet: { port: 80, ...(host !== undefined && { host }) } });
const tcp = (host?: unknown): Fields => ({ tcpSocket: { port: 80, ...(host !== undefined && { host }) } });
const volume = (source: Fields): Change => ({ pod: { volumes: [{ name: "data", ...source }] } });
const windows = (hostProcess: boolean): Fields => ({ windowsOptions: { hostProcess } });
const hostProcess = both("hostNamespaces", "windowsHostProcess");

const allowedVolumes: Record<string, Fields> = {
  configMap: { name: "c" },
  csi: { driver: "d.example.com" },
  downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "metadata.name" } }] },
  emptyDir: {},
  ephemeral: {
    volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  },
  image: { reference: "busybox:1" },
  persistentVolumeClaim: { claimName: "p" },
  projected: { sources: [{ secret: { name: "s" } }] },
  secret: { secretName: "s" },
};

const forbiddenVolumes: Record<string, Fields> = {
  gcePersistentDisk: { pdName: "d" },
  awsElasticBlockStore: { volumeID: "v" },
  gitRepo: { repository: "https://git.example.com/a" },
  nfs: { server: "s", path: "/p" },
  iscsi: { targetPortal: "10.0.0.1:3260", iqn: "iqn.2001-04.com.example:storage.disk", lun: 0 },
  glusterfs: { endpoints: "e", path: "p" },
  rbd: { monitors: ["10.0.0.1:6789"], image: "i" },
  flexVolume: { driver: "example/d" },
  cinder: { volumeID: "v" },
  cephfs: { monitors: ["10.0.0.1:6789"] },
  flocker: { datasetName: "d" },
  fc: { targetWWNs: ["50060e801049cfd1"], lun: 0 },
  azureFile: { secretName: "s", shareName: "s" },
  vsphereVolume: { volumePath: "[d] p" },
  quobyte: { registry: "r:1", volume: "v" },
  azureDisk: { diskName: "d", diskURI: "https://d.blob.example.com/vhds/d.vhd", kind: "Dedicated" },
  photonPersistentDisk: { pdID: "d" },
  portworxVolume: { volumeID: "v" },
  scaleIO: { gateway: "g", system: "s", secretRef: { name: "s" }, volumeName: "v" },
  storageos: { volumeName: "v" },
};

const safeSysctls = [
  ...["kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies"],
  ...["net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start", "net.ipv4.ip_local_reserved_ports"],
  ...["net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl"],
  ...["net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"],
];
const ordinaryCapabilities = [
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
];

const variant = (what: string, change: Change, violates: Variant["violates"]): Variant => ({
  what,
  ...change,
  violates,
});
const several = <T>(values: readonly T[], make: (value: T) => Variant): Variant[] => values.map(make);
const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing";

const ofNothing = ["allowPrivilegeEscalation", "capabilities_restricted", "runAsNonRoot", "seccompProfile_restricted"];

/** The table of every control: which pods keep it and which do not, at each level. */
export const variants: Readonly<Record<string, readonly Variant[]>> = {
  none: [
    variant("a pod that keeps every level", {}, keeps),
    variant("a pod that says nothing of security", { base: "bare" }, restricted(...ofNothing)),
    variant("a pod for Windows", { base: "windows" }, keeps),
    variant(
      "a pod for Windows that says nothing of security",
      { base: "windows", context: { runAsNonRoot: null } },
      restricted("runAsNonRoot"),
    ),
    variant("a pod that names Linux", { pod: { os: { name: "linux" } } }, keeps),
  ],
  hostNamespaces: [
    ...several(["hostNetwork", "hostPID", "hostIPC"], (field) =>
      variant(`${field}: true`, { pod: { [field]: true } }, both("hostNamespaces")),
    ),
    ...several(["hostNetwork", "hostPID", "hostIPC"], (field) =>
      variant(`${field}: false`, { pod: { [field]: false } }, keeps),
    ),
    variant("hostPID: null", { pod: { hostPID: null } }, keeps),
    variant("all three", { pod: { hostNetwork: true, hostPID: true, hostIPC: true } }, both("hostNamespaces")),
  ],
  hostPorts: [
    variant("a port of the container alone", { container: port() }, keeps),
    variant("hostPort: 0", { container: port(0) }, keeps),
    variant("hostPort: null", { container: port(null) }, keeps),
    variant("hostPort: 8080", { container: port(8080) }, both("hostPorts")),
    variant(
      "hostNetwork, which makes every port one of the host",
      { pod: { hostNetwork: true }, container: port() },
      both("hostNamespaces", "hostPorts"),
    ),
  ],
  hostPathVolumes: [
    variant("a hostPath", volume({ hostPath: { path: "/etc" } }), each("hostPathVolumes", "restrictedVolumes")),
    variant("hostPath: null", volume({ hostPath: null }), keeps),
  ],
  restrictedVolumes: [
    ...several(Object.entries(allowedVolumes), ([type, source]) => variant(type, volume({ [type]: source }), keeps)),
    ...several(Object.entries(forbiddenVolumes), ([type, source]) =>
      variant(type, volume({ [type]: source }), restricted("restrictedVolumes")),
    ),
    variant("no source, which makes it an emptyDir", volume({}), keeps),
  ],
  privileged: [
    variant(
      "privileged: true",
      { own: { privileged: true, allowPrivilegeEscalation: true } },
      {
        baseline: ["privileged"],
        restricted: ["privileged", "allowPrivilegeEscalation"],
      },
    ),
    ...several([false, null], (value) => variant(`privileged: ${value}`, { own: { privileged: value } }, keeps)),
  ],
  windowsHostProcess: [
    variant(
      "hostProcess of the pod",
      { base: "windows", pod: { hostNetwork: true }, context: windows(true) },
      hostProcess,
    ),
    variant(
      "hostProcess of every container",
      { base: "windows", pod: { hostNetwork: true }, every: windows(true) },
      hostProcess,
    ),
    variant("hostProcess: false", { base: "windows", context: windows(false), own: windows(false) }, keeps),
  ],
  capabilities: [
    ...several(ordinaryCapabilities, (name) =>
      variant(
        `add ${name}`,
        { own: { capabilities: { add: [name], drop: ["ALL"] } } },
        restricted("capabilities_restricted"),
      ),
    ),
    ...several(["NET_RAW", "NET_ADMIN", "SYS_ADMIN", "ALL", "CAP_CHOWN", "net_bind_service", null], (name) =>
      variant(
        `add ${name}`,
        { own: { capabilities: { add: [name], drop: ["ALL"] } } },
        each("capabilities_baseline", "capabilities_restricted"),
      ),
    ),
    variant("add NET_BIND_SERVICE", { own: { capabilities: { add: ["NET_BIND_SERVICE"], drop: ["ALL"] } } }, keeps),
    variant("drop ALL and another one", { own: { capabilities: { drop: ["CHOWN", "ALL"] } } }, keeps),
    variant("add: null", { own: { capabilities: { add: null, drop: ["ALL"] } } }, keeps),
    ...several([undefined, null, [], [null], ["all"], ["CHOWN"]], (drop) =>
      variant(`drop ${shown(drop)}`, { own: { capabilities: { drop } } }, restricted("capabilities_restricted")),
    ),
    ...several([undefined, null, {}], (capabilities) =>
      variant(`capabilities: ${shown(capabilities)}`, { own: { capabilities } }, restricted("capabilities_restricted")),
    ),
  ],
  appArmorProfile: [
    ...several(["RuntimeDefault", "Localhost"], (type) =>
      variant(
        `${type} for both`,
        { context: { appArmorProfile: profile(type) }, own: { appArmorProfile: profile(type) } },
        keeps,
      ),
    ),
    variant("Unconfined for the pod", { context: { appArmorProfile: profile("Unconfined") } }, both("appArmorProfile")),
    variant("Unconfined for a container", { own: { appArmorProfile: profile("Unconfined") } }, both("appArmorProfile")),
    variant("appArmorProfile: null", { own: { appArmorProfile: null } }, keeps),
    ...several(["runtime/default", "localhost/p", ""], (value) =>
      variant(`annotation ${value}`, { base: "named", annotations: annotation(value) }, keeps),
    ),
    variant("annotation unconfined", { base: "named", annotations: annotation("unconfined") }, both("appArmorProfile")),
  ],
  seLinuxOptions: [
    ...several(["container_t", "container_init_t", "container_kvm_t", "container_engine_t", "", null], (type) =>
      variant(
        `type ${shown(type)}`,
        { context: { seLinuxOptions: { type } }, own: { seLinuxOptions: { type } } },
        keeps,
      ),
    ),
    variant("a level", { own: { seLinuxOptions: { level: "s0:c123,c456" } } }, keeps),
    ...several([{ type: "spc_t" }, { user: "u" }, { role: "r" }, { type: "t", user: "u", role: "r" }], (options) =>
      variant(`${shown(options)} of the pod`, { context: { seLinuxOptions: options } }, both("seLinuxOptions")),
    ),
    ...several([{ type: "spc_t" }, { user: "u" }, { role: "r" }, { type: "t", user: "u", role: "r" }], (options) =>
      variant(`${shown(options)} of a container`, { own: { seLinuxOptions: options } }, both("seLinuxOptions")),
    ),
    variant(
      "two types, of the pod and of a container",
      { context: { seLinuxOptions: { type: "b_t" } }, own: { seLinuxOptions: { type: "a_t" } } },
      both("seLinuxOptions"),
    ),
  ],
  procMount: [
    variant("Default", { own: { procMount: "Default" } }, keeps),
    variant("null", { own: { procMount: null } }, keeps),
    variant(
      "Unmasked with a user namespace",
      { pod: { hostUsers: false }, own: { procMount: "Unmasked" } },
      restricted("procMount_restricted"),
    ),
  ],
  seccompProfile: [
    ...several(["RuntimeDefault", "Localhost"], (type) =>
      variant(
        `${type} for a container alone`,
        { context: { seccompProfile: null }, every: { seccompProfile: profile(type) } },
        keeps,
      ),
    ),
    variant("none", { context: { seccompProfile: undefined } }, restricted("seccompProfile_restricted")),
    variant(
      "Unconfined for the pod",
      { context: { seccompProfile: profile("Unconfined") } },
      each("seccompProfile_baseline", "seccompProfile_restricted"),
    ),
    variant(
      "Unconfined for a container",
      { own: { seccompProfile: profile("Unconfined") } },
      each("seccompProfile_baseline", "seccompProfile_restricted"),
    ),
    variant(
      "Unconfined for the pod, RuntimeDefault for a container",
      { context: { seccompProfile: profile("Unconfined") }, own: { seccompProfile: profile("RuntimeDefault") } },
      each("seccompProfile_baseline", "seccompProfile_restricted"),
    ),
  ],
  sysctls: [
    ...several(safeSysctls, (name) => variant(name, { context: { sysctls: [{ name, value: "1" }] } }, keeps)),
    ...several(["kernel.msgmax", "net.core.somaxconn", "kernel/shm_rmid_forced", "net.ipv4.ip_forward"], (name) =>
      variant(name, { context: { sysctls: [{ name, value: "1" }] } }, both("sysctls")),
    ),
    variant(
      "two, one of them safe",
      { context: { sysctls: [safeSysctls[0], "kernel.msgmax", "kernel.sem"].map((name) => ({ name, value: "1" })) } },
      both("sysctls"),
    ),
  ],
  hostProbesAndHostLifecycle: [
    ...several(["livenessProbe", "readinessProbe", "startupProbe"], (probe) =>
      variant(`${probe} of the pod itself`, { container: { [probe]: get() } }, keeps),
    ),
    ...several([get(""), get(null), tcp(), tcp("")], (probe) =>
      variant(`livenessProbe ${shown(probe)}`, { container: { livenessProbe: probe } }, keeps),
    ),
    ...several(
      ["livenessProbe", "readinessProbe", "startupProbe"].flatMap((probe) => [
        { [probe]: get("a.example.com") },
        { [probe]: tcp("127.0.0.1") },
      ]),
      (container) => variant(shown(container), { container }, both("hostProbesAndHostLifecycle")),
    ),
    ...several(
      ["postStart", "preStop"].flatMap((at) => [{ [at]: get("b.example.com") }, { [at]: tcp("127.0.0.1") }]),
      (lifecycle) => variant(shown(lifecycle), { container: { lifecycle } }, both("hostProbesAndHostLifecycle")),
    ),
    variant(
      "two hosts",
      { container: { livenessProbe: get("b.example.com"), readinessProbe: tcp("a.example.com") } },
      both("hostProbesAndHostLifecycle"),
    ),
    variant("a handler of the container itself", { container: { lifecycle: { preStop: get() } } }, keeps),
  ],
  allowPrivilegeEscalation: several([true, null, undefined], (value) =>
    variant(`${shown(value)}`, { own: { allowPrivilegeEscalation: value } }, restricted("allowPrivilegeEscalation")),
  ),
  runAsNonRoot: [
    variant("of a container alone", { context: { runAsNonRoot: null }, every: { runAsNonRoot: true } }, keeps),
    variant("of nobody", { context: { runAsNonRoot: undefined } }, restricted("runAsNonRoot")),
    variant("refused by the pod", { context: { runAsNonRoot: false } }, restricted("runAsNonRoot")),
    variant("refused by a container", { own: { runAsNonRoot: false } }, restricted("runAsNonRoot")),
    variant(
      "refused by the pod, set by a container",
      { context: { runAsNonRoot: false }, own: { runAsNonRoot: true } },
      restricted("runAsNonRoot"),
    ),
    variant(
      "hostUsers: null",
      { pod: { hostUsers: null }, context: { runAsNonRoot: null } },
      restricted("runAsNonRoot"),
    ),
    variant("of nobody in a user namespace", { pod: { hostUsers: false }, context: { runAsNonRoot: false } }, keeps),
    variant(
      "of nobody among the host's users",
      { pod: { hostUsers: true }, context: { runAsNonRoot: undefined } },
      restricted("runAsNonRoot"),
    ),
  ],
  runAsUser: [
    ...several([1, 1000, null], (runAsUser) =>
      variant(`${runAsUser}`, { context: { runAsUser }, own: { runAsUser } }, keeps),
    ),
    variant("0 of the pod", { context: { runAsUser: 0 } }, restricted("runAsUser")),
    variant("0 of a container", { own: { runAsUser: 0 } }, restricted("runAsUser")),
    variant(
      "0 in a user namespace",
      { pod: { hostUsers: false }, context: { runAsUser: 0 }, own: { runAsUser: 0 } },
      keeps,
    ),
  ],
};

const conformingContext: Fields = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };
const conformingOwn: Fields = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };

/** The pod of several changes at once, made in a container or in one that comes before it. */
export function podOf(changes: readonly Change[], place: Place = "containers"): TestPod {
  const base = changes.find((change) => change.base)?.base ?? "conforming";
  const conforms = base === "conforming" || base === "named";
  const container = (name: string): Fields => ({
    ...{ name, image: "busybox:1" },
    ...(conforms && { securityContext: structuredClone(conformingOwn) }),
  });
  const pod: TestPod = {
    metadata: { annotations: {} },
    spec: {
      ...(base === "windows" && { os: { name: "windows" }, securityContext: { runAsNonRoot: true } }),
      ...(conforms && { securityContext: structuredClone(conformingContext) }),
      ...(place === "initContainers" && { initContainers: [container("prepare")] }),
      containers: [container("web"), container("proxy")],
    },
  };
  for (const change of changes) {
    Object.assign(pod.metadata.annotations, change.annotations);
    Object.assign(pod.spec, change.pod);
    if (change.context) pod.spec.securityContext = { ...(pod.spec.securityContext as Fields), ...change.context };
    const target = pod.spec[place]![0]!;
    Object.assign(target, change.container);
    for (const one of change.every ? [...(pod.spec.initContainers ?? []), ...pod.spec.containers] : [])
      one.securityContext = { ...(one.securityContext as Fields), ...change.every };
    if (change.own) target.securityContext = { ...(target.securityContext as Fields), ...change.own };
  }
  return structuredClone(pod);
}

/** Every place in a value, the value itself left out. */
function placesIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...placesIn(inner, [...path, key])]);
}

const oddValues = [
  null,
  true,
  false,
  0,
  1,
  -1,
  0.5,
  "",
  "true",
  "x",
  [],
  {},
  [null],
  [{}],
  ["x"],
  { x: 1 },
  { x: null },
];

/** Pods of a variant with something odd in one place, as people write them by mistake or on purpose. */
export const mangledPods: fc.Arbitrary<TestPod> = fc
  .tuple(fc.constantFrom(...Object.values(variants).flat()), fc.nat(), fc.constantFrom<unknown>(...oddValues))
  .map(([variant, which, odd]) => {
    const pod = podOf([{ base: "named" }, variant]);
    const places = placesIn(pod).filter(({ length }) => length > 1);
    const path = places[which % places.length] ?? [];
    const holder = path.slice(0, -1).reduce<unknown>((inner, key) => (inner as Fields)[key], pod);
    (holder as Fields)[path.at(-1) ?? ""] = odd;
    return pod;
  });

/** Whether a pod's init container can have the change: it has no probes. */
export function fitsInit({ container, annotations }: Change): boolean {
  return annotations === undefined && Object.keys(container ?? {}).every((field) => field === "ports");
}
