import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { at, CONTAINER_LISTS } from "../../manifest/workloads.ts";
import type { ConfigType } from "./configObject.ts";

/** Where a pod spec names an object of each type: paths from a volume, a projected source, a variable, an `envFrom`. */
const places = {
  ConfigMap: {
    volume: ["configMap", "name"],
    source: ["configMap", "name"],
    env: ["valueFrom", "configMapKeyRef", "name"],
    envFrom: ["configMapRef", "name"],
  },
  Secret: {
    volume: ["secret", "secretName"],
    source: ["secret", "name"],
    env: ["valueFrom", "secretKeyRef", "name"],
    envFrom: ["secretRef", "name"],
  },
  PVC: { volume: ["persistentVolumeClaim", "claimName"], source: undefined, env: undefined, envFrom: undefined },
} as const;

/** Whether pods of this spec read the object, so that they see a change of it only after a restart (contract P 7.4). */
export function refersToConfig(podSpec: unknown, type: ConfigType, name: string): boolean {
  if (type === "Ingress") return false;
  const { volume, source, env, envFrom } = places[type];
  const names = (value: unknown, path: readonly string[] | undefined): boolean =>
    path !== undefined && at(value, path) === name;
  const inVolume = (one: unknown): boolean =>
    names(one, volume) || listAt(one, ["projected", "sources"]).some((part) => names(part, source));
  const inContainer = (one: unknown): boolean =>
    listAt(one, ["env"]).some((variable) => names(variable, env)) ||
    listAt(one, ["envFrom"]).some((part) => names(part, envFrom));
  if (!isRecord(podSpec)) return false;
  return (
    listAt(podSpec, ["volumes"]).some(inVolume) ||
    CONTAINER_LISTS.some((list) => listAt(podSpec, [list]).some(inContainer))
  );
}

function listAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}
