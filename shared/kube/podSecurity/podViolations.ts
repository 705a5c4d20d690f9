import {
  type Control,
  containersNamed,
  counted,
  distinct,
  type Finding,
  hasUserNamespace,
  isWindows,
  quoted,
} from "./control.ts";
import {
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbesAndHostLifecycle,
  privileged,
  windowsHostProcess,
} from "./host.ts";
import { type PodFields, readPod } from "./podFields.ts";
import { appArmorProfile, seccompProfileBaseline, seccompProfileRestricted, seLinuxOptions } from "./profiles.ts";
import { allowPrivilegeEscalation, runAsNonRoot, runAsUser } from "./users.ts";

const allowed = [
  ...["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected"],
  "secret",
];

const forbidden = [
  ...["hostPath", "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "nfs", "iscsi", "glusterfs", "rbd"],
  ...["flexVolume", "cinder", "cephfs", "flocker", "fc", "azureFile", "vsphereVolume", "quobyte", "azureDisk"],
  ...["photonPersistentDisk", "portworxVolume", "scaleIO", "storageos"],
];

/**
 * Restricted: volumes are of types that reach nothing of the node and no server by themselves. A volume without any
 * source is an `emptyDir`, as the API server makes it; one of an unknown type is refused, because it is not known what
 * it opens.
 */
const restrictedVolumes: Control = ({ volumes }) => {
  const found = (volumes ?? []).flatMap((volume) => {
    const type = typeOf(volume);
    return type === undefined ? [] : [{ name: volume.name ?? "", type }];
  });
  if (found.length === 0) return undefined;
  const types = distinct(found.map(({ type }) => type));
  const noun = counted("restricted volume type", "restricted volume types", types);
  return {
    reason: "restricted volume types",
    detail: `${counted("volume", "volumes", found)} ${quoted(found.map(({ name }) => name))} ${counted("uses", "use", found)} ${noun} ${quoted(types)}`,
  };
};

function typeOf({ name: _, ...sources }: Record<string, unknown>): string | undefined {
  const set = Object.keys(sources).filter((key) => sources[key] !== undefined && sources[key] !== null);
  if (set.length === 0 || set.some((key) => allowed.includes(key))) return undefined;
  return forbidden.find((type) => set.includes(type)) ?? "unknown";
}

/** Those that concern the pod alone. */
const safeSysctls = [
  "kernel.shm_rmid_forced",
  ...["ip_local_port_range", "ip_local_reserved_ports", "ip_unprivileged_port_start", "ping_group_range"].map(ipv4),
  ...["tcp_fin_timeout", "tcp_keepalive_intvl", "tcp_keepalive_probes", "tcp_keepalive_time"].map(ipv4),
  ...["tcp_rmem", "tcp_syncookies", "tcp_wmem"].map(ipv4),
];

/** Baseline: only parameters of the kernel that concern the pod alone. */
const sysctls: Control = ({ securityContext }) => {
  const names = (securityContext?.sysctls ?? []).map(({ name }) => name ?? "");
  const forbidden = names.filter((name) => !safeSysctls.includes(name));
  return forbidden.length === 0 ? undefined : { reason: "forbidden sysctls", detail: forbidden.join(", ") };
};

/** Baseline: `/proc` stays masked, unless the pod has a user namespace. */
const procMountBaseline: Control = (pod) => (hasUserNamespace(pod) ? undefined : procMountRestricted(pod));

/** Restricted: `/proc` stays masked. */
const procMountRestricted: Control = ({ all }) => {
  const found = all.flatMap(({ name, securityContext }) => {
    const type = securityContext?.procMount ?? "Default";
    return type === "Default" ? [] : [{ name, type }];
  });
  if (found.length === 0) return undefined;
  const containers = containersNamed(found.map(({ name }) => name));
  const types = quoted(distinct(found.map(({ type }) => type)));
  return { reason: "procMount", detail: `${containers} must not set securityContext.procMount to ${types}` };
};

function ipv4(name: string): string {
  return `net.ipv4.${name}`;
}

/** What container runtimes give by themselves, but for NET_RAW. */
const ordinary = [
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
];

/** Baseline: containers add only capabilities that runtimes give anyhow. */
const capabilitiesBaseline: Control = (pod) => {
  const detail = addedBeyond(ordinary, pod);
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
};

/** Restricted: containers drop `ALL` and add at most `NET_BIND_SERVICE`. */
const capabilitiesRestricted: Control = (pod) => {
  if (isWindows(pod)) return undefined;
  const keeping = pod.all.filter((one) => one.securityContext?.capabilities?.drop?.includes("ALL") !== true);
  const kept =
    keeping.length === 0
      ? []
      : [`${containersNamed(keeping.map(({ name }) => name))} must set securityContext.capabilities.drop=["ALL"]`];
  const detail = [...kept, addedBeyond(["NET_BIND_SERVICE"], pod) ?? []].flat().join("; ");
  return detail === "" ? undefined : { reason: "unrestricted capabilities", detail };
};

function addedBeyond(allowed: readonly string[], { all }: PodFields): string | undefined {
  const found = all.flatMap(({ name, securityContext }) => {
    const added = (securityContext?.capabilities?.add ?? []).filter((one) => !allowed.includes(one));
    return added.length === 0 ? [] : [{ name, added }];
  });
  if (found.length === 0) return undefined;
  const containers = containersNamed(found.map(({ name }) => name));
  const added = quoted(distinct(found.flatMap((one) => one.added)));
  return `${containers} must not include ${added} in securityContext.capabilities.add`;
}

/** The levels of Kubernetes' Pod Security Standards, each stricter than the one before. */
export const podSecurityLevels = ["privileged", "baseline", "restricted"] as const;
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

/** A control that a pod violates, by Kubernetes' identifier of it, with the reason and the fields. */
export interface Violation extends Finding {
  control: string;
}

const always: Readonly<Record<string, Control>> = {
  appArmorProfile,
  hostNamespaces,
  hostPorts,
  hostProbesAndHostLifecycle,
  privileged,
  seLinuxOptions,
  sysctls,
  windowsHostProcess,
};

/** The controls of each level, in the order in which Kubernetes tells them. */
const controls: Readonly<Record<PodSecurityLevel, readonly (readonly [string, Control])[]>> = {
  privileged: [],
  baseline: sorted({
    ...always,
    capabilities_baseline: capabilitiesBaseline,
    hostPathVolumes,
    procMount: procMountBaseline,
    seccompProfile_baseline: seccompProfileBaseline,
  }),
  restricted: [
    ...sorted(always),
    ...sorted({
      allowPrivilegeEscalation,
      capabilities_restricted: capabilitiesRestricted,
      procMount_restricted: procMountRestricted,
      restrictedVolumes,
      runAsNonRoot,
      runAsUser,
      seccompProfile_restricted: seccompProfileRestricted,
    }),
  ],
};

/**
 * The controls of a level that a pod or pod template (`{metadata: {annotations}, spec}`, as it is in a manifest)
 * violates, as the API server's admission finds them in the newest version that Slipway knows, 1.35
 * (https://kubernetes.io/docs/concepts/security/pod-security-standards/). None at `privileged`. A template with a field
 * of a wrong type violates `podTemplate`: it cannot be judged, and the API server takes it no more than Slipway does.
 */
export function podViolations(template: unknown, level: PodSecurityLevel): Violation[] {
  if (level === "privileged") return [];
  const pod = readPod(template);
  if ("unreadable" in pod)
    return [{ control: "podTemplate", reason: "unreadable pod template", detail: pod.unreadable }];
  return controls[level].flatMap(([control, check]) => {
    const found = check(pod);
    return found === undefined ? [] : [{ control, ...found }];
  });
}

function sorted(named: Readonly<Record<string, Control>>): (readonly [string, Control])[] {
  return Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1));
}
