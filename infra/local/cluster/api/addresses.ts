import { type Dict, dictAt, dictsAt, type KubeObject, textAt } from "../model/object.ts";
import type { Store } from "../store/store.ts";

/** Gives a Service its cluster address and node ports, in place; a replacement keeps those of the old one. */
export function allocateService(store: Store, object: KubeObject, old?: KubeObject): void {
  const spec = dictAt(object, "spec");
  if (spec.type === "ExternalName") return;
  const before = dictAt(old, "spec");
  if (!spec.clusterIP) {
    const kept = old && before.type !== "ExternalName" ? textAt(old, "spec", "clusterIP") : "";
    spec.clusterIP = kept || freeAddress(store);
  }
  spec.clusterIPs = [spec.clusterIP];
  spec.ipFamilyPolicy ??= "SingleStack";
  spec.ipFamilies ??= ["IPv4"];
  if (spec.type !== "NodePort" && spec.type !== "LoadBalancer") {
    for (const port of dictsAt(spec, "ports")) delete port.nodePort;
    delete spec.externalTrafficPolicy;
    return;
  }
  const known = dictsAt(before, "ports");
  for (const port of dictsAt(spec, "ports")) {
    if (port.nodePort) continue;
    const same = known.find((candidate) => candidate.port === port.port && candidate.protocol === port.protocol);
    port.nodePort = same?.nodePort ?? freeNodePort(store, spec);
  }
}

/** The first unused address of 10.96.0.0/16 after the cluster's own. */
function freeAddress(store: Store): string {
  const used = new Set(store.list("services").map((service) => textAt(service, "spec", "clusterIP")));
  let number = used.size + 2;
  for (;;) {
    const address = `10.96.${(number >> 8) & 255}.${number & 255}`;
    if (!used.has(address) && (number & 255) !== 0 && (number & 255) !== 255) return address;
    number++;
  }
}

function freeNodePort(store: Store, spec: Dict): number {
  const services = store.list("services").map((service) => dictAt(service, "spec"));
  const used = new Set([spec, ...services].flatMap((s) => dictsAt(s, "ports").map((port) => port.nodePort)));
  let port = 30_000;
  while (used.has(port)) port++;
  return port;
}
