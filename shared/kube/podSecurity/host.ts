import { type Control, containersNamed, counted, distinct, quoted, setters } from "./control.ts";
import type { Container } from "./podFields.ts";

/** Baseline: the pod shares no namespace with its node (`hostNetwork`, `hostPID`, `hostIPC`). */
export const hostNamespaces: Control = (pod) => {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => pod[field] === true);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.map((field) => `${field}=true`).join(", ") };
};

/** Baseline: no container is privileged. */
export const privileged: Control = ({ all }) => {
  const found = setters(
    false,
    all.filter(({ securityContext }) => securityContext?.privileged === true),
  );
  if (found === undefined) return undefined;
  return { reason: "privileged", detail: `${found} must not set securityContext.privileged=true` };
};

/** Baseline: no volume is a folder of the node. At restricted `restrictedVolumes` has its place. */
export const hostPathVolumes: Control = ({ volumes }) => {
  const found = (volumes ?? []).filter(({ hostPath }) => hostPath !== undefined && hostPath !== null);
  if (found.length === 0) return undefined;
  const names = quoted(found.map(({ name }) => name ?? ""));
  return { reason: "hostPath volumes", detail: `${counted("volume", "volumes", found)} ${names}` };
};

/** Baseline: no container takes a port of the node. */
export const hostPorts: Control = ({ all }) => {
  const portsOf = ({ ports }: Container): number[] => (ports ?? []).flatMap(({ hostPort }) => hostPort || []);
  const using = all.filter((one) => portsOf(one).length > 0);
  if (using.length === 0) return undefined;
  const ports = distinct(using.flatMap(portsOf).map(String));
  const noun = counted("hostPort", "hostPorts", ports);
  return { reason: "hostPort", detail: `${usedBy(using.map(({ name }) => name))} ${noun} ${ports.join(", ")}` };
};

/** Baseline: probes and handlers ask the pod itself, no other host. */
export const hostProbesAndHostLifecycle: Control = ({ all }) => {
  const using = all.filter((one) => hostsOf(one).length > 0);
  if (using.length === 0) return undefined;
  const hosts = distinct(using.flatMap(hostsOf));
  const noun = counted("probe or lifecycle host", "probe or lifecycle hosts", hosts);
  const names = distinct(using.map(({ name }) => name));
  return { reason: "probe or lifecycle host", detail: `${usedBy(names)} ${noun} ${quoted(hosts)}` };
};

/** Baseline: neither the pod nor a container runs as a process of a Windows node. */
export const windowsHostProcess: Control = ({ securityContext, all }) => {
  const found = setters(
    securityContext?.windowsOptions?.hostProcess === true,
    all.filter((one) => one.securityContext?.windowsOptions?.hostProcess === true),
  );
  if (found === undefined) return undefined;
  return { reason: "hostProcess", detail: `${found} must not set securityContext.windowsOptions.hostProcess=true` };
};

/** Hosts that a container's probes and handlers ask instead of the pod itself. */
function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  return [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap((handler) =>
    [handler?.httpGet?.host, handler?.tcpSocket?.host].flatMap((host) => host || []),
  );
}

function usedBy(names: readonly string[]): string {
  return `${containersNamed(names)} ${counted("uses", "use", names)}`;
}
