import { type Control, containersNamed, distinct, hasUserNamespace, quoted } from "./control.ts";

/** Those that concern the pod alone. */
const safeSysctls = [
  "kernel.shm_rmid_forced",
  ...["ip_local_port_range", "ip_local_reserved_ports", "ip_unprivileged_port_start", "ping_group_range"].map(ipv4),
  ...["tcp_fin_timeout", "tcp_keepalive_intvl", "tcp_keepalive_probes", "tcp_keepalive_time"].map(ipv4),
  ...["tcp_rmem", "tcp_syncookies", "tcp_wmem"].map(ipv4),
];

/** Baseline: only parameters of the kernel that concern the pod alone. */
export const sysctls: Control = ({ securityContext }) => {
  const names = (securityContext?.sysctls ?? []).map(({ name }) => name ?? "");
  const forbidden = names.filter((name) => !safeSysctls.includes(name));
  return forbidden.length === 0 ? undefined : { reason: "forbidden sysctls", detail: forbidden.join(", ") };
};

/** Baseline: `/proc` stays masked, unless the pod has a user namespace. */
export const procMountBaseline: Control = (pod) => (hasUserNamespace(pod) ? undefined : procMountRestricted(pod));

/** Restricted: `/proc` stays masked. */
export const procMountRestricted: Control = ({ all }) => {
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
