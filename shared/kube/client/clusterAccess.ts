import type { OutboundPolicy } from "../../base/settings/outboundPolicy.ts";
import type { ClusterEndpoint } from "./endpoint/ClusterEndpoint.ts";
import { checkKubeconfig } from "./endpoint/checkKubeconfig.ts";
import { type EksAccess, type EksDependencies, eksEndpoint } from "./endpoint/eksEndpoint.ts";
import { kubeconfigEndpoint } from "./endpoint/kubeconfigEndpoint.ts";
import { parseKubeconfig } from "./endpoint/parseKubeconfig.ts";
import { ClusterCredentialsInvalid } from "./errors.ts";

/** How a cluster is reached. Only what came by API passes the outbound policy (decisions 5.1, 5.8). */
export type ClusterAccess =
  /** `trusted`: the operator's own or the sandbox's; it may name programs, files and private addresses. */
  | { kind: "kubeconfig"; text: string; trusted: true }
  | { kind: "kubeconfig"; text: string; trusted: false; policy: OutboundPolicy }
  | (EksAccess & { kind: "eks"; policy: OutboundPolicy; dependencies?: EksDependencies })
  | { kind: "endpoint"; endpoint: ClusterEndpoint };

/**
 * Finds address and credentials.
 * @throws ClusterCredentialsInvalid naming the field or the refused AWS call
 */
export async function resolveAccess(access: ClusterAccess): Promise<ClusterEndpoint> {
  if (access.kind === "endpoint") return access.endpoint;
  if (access.kind === "eks") return eksEndpoint(access, access.policy, access.dependencies);
  const problems = checkKubeconfig(access.text);
  if (problems.length > 0) {
    // Loaded only here: the library behind it is 20 MB of text, and a bundle for Lambda leaves the file out.
    if (access.trusted) return (await import("./endpoint/operatorEndpoint.ts")).operatorEndpoint(access.text);
    const list = problems.map(({ path, wrong, right }) => `${path || "kubeconfig"} ${wrong}: ${right}`).join("; ");
    throw new ClusterCredentialsInvalid(list);
  }
  const parsed = parseKubeconfig(access.text);
  if ("problems" in parsed) throw new ClusterCredentialsInvalid("kubeconfig cannot be read");
  return kubeconfigEndpoint(parsed.config, access.trusted ? "unchecked" : access.policy);
}
