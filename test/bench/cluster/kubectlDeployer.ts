import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { verbOf } from "../../harness/clusterRequests.ts";
import { timed } from "../figures.ts";
import type { Deployer } from "./deployer.ts";
import type { Kubectl } from "./kubectl.ts";
import type { TestCluster } from "./testCluster.ts";

/** `kubectl apply --server-side` of one file: a process each time, as in a pipeline. */
export function kubectlDeployer(
  kubectl: Kubectl,
  cluster: TestCluster,
  options: { counting?: boolean } = {},
): Deployer {
  const file = join(cluster.folder, "manifest.yaml");
  const verbosity = options.counting === true ? 6 : 0;
  return {
    name: "kubectl",
    begin: async (namespace) => {
      await cluster.makeNamespace(namespace);
      return {
        deploy: async (_kind, manifest) => {
          writeFileSync(file, manifest);
          const call = { kubeconfig: cluster.kubeconfig.file, namespace, file, verbosity };
          const { result, milliseconds } = await timed(() => kubectl.apply(call));
          return { milliseconds, ...(options.counting === true && { requests: loggedRequests(result) }) };
        },
      };
    },
  };
}

/** What `-v 6` logs: one line an answer, with method and address. */
export function loggedRequests(log: string): Record<string, number> {
  const verbs: Record<string, number> = {};
  for (const [, method = "", url = ""] of log.matchAll(/"Response" verb="(\w+)" url="([^"]+)"/g)) {
    const { pathname, search } = new URL(url);
    const verb = verbOf(method, pathname + search);
    verbs[verb] = (verbs[verb] ?? 0) + 1;
  }
  return verbs;
}
