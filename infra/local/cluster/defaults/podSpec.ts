import { type Dict, dictsAt, isDict } from "../model/object.ts";

/** Sets a field that is absent. */
export function setDefault(target: Dict, field: string, value: unknown): void {
  if (target[field] === undefined) target[field] = value;
}

/** Fills in what the API server fills in for a pod's spec, in place; templates and pods alike. */
export function defaultPodSpec(spec: Dict): void {
  setDefault(spec, "dnsPolicy", "ClusterFirst");
  setDefault(spec, "restartPolicy", "Always");
  setDefault(spec, "schedulerName", "default-scheduler");
  setDefault(spec, "securityContext", {});
  setDefault(spec, "terminationGracePeriodSeconds", 30);
  if (spec.serviceAccountName === undefined && spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
  if (spec.serviceAccountName) setDefault(spec, "serviceAccount", spec.serviceAccountName);
  for (const volume of dictsAt(spec, "volumes")) defaultVolume(volume);
  for (const field of ["initContainers", "containers"]) {
    for (const container of dictsAt(spec, field)) defaultContainer(container, spec.hostNetwork === true);
  }
}

function defaultContainer(container: Dict, hostNetwork: boolean): void {
  setDefault(container, "terminationMessagePath", "/dev/termination-log");
  setDefault(container, "terminationMessagePolicy", "File");
  setDefault(container, "resources", {});
  if (typeof container.image === "string") setDefault(container, "imagePullPolicy", pullPolicy(container.image));
  for (const port of dictsAt(container, "ports")) {
    setDefault(port, "protocol", "TCP");
    if (hostNetwork) setDefault(port, "hostPort", port.containerPort);
  }
  for (const variable of dictsAt(container, "env")) {
    const source = variable.valueFrom;
    if (isDict(source) && isDict(source.fieldRef)) setDefault(source.fieldRef, "apiVersion", "v1");
    if (isDict(source) && isDict(source.resourceFieldRef)) setDefault(source.resourceFieldRef, "divisor", "0");
  }
  for (const field of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    if (isDict(container[field])) defaultProbe(container[field]);
  }
  if (isDict(container.lifecycle)) {
    for (const hook of [container.lifecycle.postStart, container.lifecycle.preStop]) defaultHttpGet(hook);
  }
}

function pullPolicy(image: string): string {
  const last = image.split("/").at(-1) ?? "";
  if (last.includes("@")) return "IfNotPresent";
  const tag = last.split(":")[1];
  return tag === undefined || tag === "latest" ? "Always" : "IfNotPresent";
}

function defaultProbe(probe: Dict): void {
  setDefault(probe, "timeoutSeconds", 1);
  setDefault(probe, "periodSeconds", 10);
  setDefault(probe, "successThreshold", 1);
  setDefault(probe, "failureThreshold", 3);
  defaultHttpGet(probe);
  if (isDict(probe.grpc)) setDefault(probe.grpc, "service", "");
}

function defaultHttpGet(handler: unknown): void {
  if (!isDict(handler) || !isDict(handler.httpGet)) return;
  setDefault(handler.httpGet, "path", "/");
  setDefault(handler.httpGet, "scheme", "HTTP");
}

function defaultVolume(volume: Dict): void {
  if (Object.keys(volume).length === 1) volume.emptyDir = {};
  for (const source of ["secret", "configMap", "downwardAPI", "projected"]) {
    const found = volume[source];
    if (isDict(found)) setDefault(found, "defaultMode", 420);
  }
  if (isDict(volume.hostPath)) setDefault(volume.hostPath, "type", "");
  for (const source of dictsAt(volume, "projected", "sources")) {
    if (isDict(source.serviceAccountToken)) setDefault(source.serviceAccountToken, "expirationSeconds", 3607);
  }
  for (const source of [volume, ...dictsAt(volume, "projected", "sources")]) {
    for (const item of dictsAt(source, "downwardAPI", "items")) {
      if (isDict(item.fieldRef)) setDefault(item.fieldRef, "apiVersion", "v1");
    }
  }
}
