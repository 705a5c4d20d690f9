import type { Kind } from "./deployer.ts";

/** A manifest of `count` objects, half ConfigMaps and half Services, as each deploy of a sequence sends it. */
export function manifestOf(kind: Kind, count: number): string {
  return Array.from({ length: count }, (_, at) => {
    const version = versionOf(kind, at);
    return at % 2 === 0 ? configMap(`object-${at}`, version) : service(`object-${at}`, version);
  }).join("---\n");
}

/** How many objects a deploy finds different from what stands. */
export function differing(kind: Kind, count: number): number {
  if (kind === "unchanged") return 0;
  return kind === "tenth" ? Math.ceil(count / 20) * 2 : count;
}

/** The objects are changed in pairs, so that both kinds are among them. */
function versionOf(kind: Kind, at: number): number {
  if (kind === "first") return 1;
  if (kind === "changed") return 2;
  return at % 20 < 2 ? 3 : 2;
}

function configMap(name: string, version: number): string {
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
data:
  version: "${version}"
  settings.ini: |
    [server]
    port = 8080
    log_level = info
    greeting = The quick brown fox jumps over the lazy dog, ${name}, again and again
`;
}

function service(name: string, version: number): string {
  return `apiVersion: v1
kind: Service
metadata:
  name: ${name}
spec:
  selector:
    app: ${name}
  ports:
    - name: http
      port: 80
      targetPort: ${8080 + version}
`;
}
