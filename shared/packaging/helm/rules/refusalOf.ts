import { anyKind } from "../../../kube/rules/anyKind.ts";

interface DoorRequest {
  method: string;
  /** With its query. */
  path: string;
  namespace: string;
  clusterKinds: readonly string[];
  systemRoles?: boolean | undefined;
  readOnly?: boolean | undefined;
}

/** Why Helm may not ask this of the cluster, naming the object (decisions 11.1); undefined when it may. */
export function refusalOf({
  method,
  path,
  namespace,
  clusterKinds,
  systemRoles = false,
  readOnly = false,
}: DoorRequest): string | undefined {
  const [bare = "", query = ""] = path.split("?");
  if (/%|\.\.|\/\//.test(bare)) return `the path ${bare} is not allowed`;
  const isRead = method === "GET";
  const isDryRun = new URLSearchParams(query).get("dryRun") === "All";
  if (readOnly && !isRead && !isDryRun) return "nothing is written by a preview";
  if (isRead && isDiscovery(bare)) return undefined;
  const rest = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.+)$/.exec(bare)?.[1]?.split("/");
  if (rest === undefined) return `${method} ${bare} is not allowed to charts`;
  const [first = "", second, ...more] = rest;
  if (first === "namespaces") {
    if (systemRoles && second === "kube-system" && /^(?:role|rolebinding)s$/.test(more[0] ?? "")) return undefined;
    if (second !== namespace)
      return second === undefined
        ? "namespaces cannot be listed by charts"
        : `${naming(more) || `Namespace ${second}`} lies in namespace ${second}; a chart may use ${namespace}, the namespace of its environment`;
    if (more.length > 0 || isRead) return undefined;
    return `Namespace ${namespace} is the environment's own; a chart may not change it`;
  }
  if (clusterKinds.some((kind) => kind === anyKind || pluralOf(kind) === first)) return undefined;
  return `${naming(rest)} belongs to the whole cluster; allowed are ${clusterKinds.join(", ")}`;
}

function isDiscovery(path: string): boolean {
  return /^\/(?:version|healthz|api|apis|openapi\/.*|api\/v1|apis\/[^/]+|apis\/[^/]+\/[^/]+)\/?$/.test(path);
}

function naming([plural, name]: readonly string[]): string {
  if (plural === undefined) return "";
  return name === undefined ? `the list of ${plural}` : `${plural} ${name}`;
}

function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/(?:s|x|ch)$/.test(lower)) return `${lower}es`;
  return lower.endsWith("y") ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}
