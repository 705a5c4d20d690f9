import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Api } from "./api/api.ts";
import { claimController } from "./controllers/claim.ts";
import { Cluster } from "./controllers/controller.ts";
import { cronJobController } from "./controllers/cronJob.ts";
import { customDefinitionController } from "./controllers/customDefinition.ts";
import { daemonSetController } from "./controllers/daemonSet.ts";
import { deploymentController } from "./controllers/deployment.ts";
import { endpointsController } from "./controllers/endpoints.ts";
import { garbageCollector } from "./controllers/garbage.ts";
import { jobController } from "./controllers/job.ts";
import { namespaceController } from "./controllers/namespace.ts";
import { replicaSetController } from "./controllers/replicaSet.ts";
import { ControllerRunner } from "./controllers/runner.ts";
import { statefulSetController } from "./controllers/statefulSet.ts";
import { furnish } from "./furnish.ts";
import { listen } from "./http/listen.ts";
import { type Identity, readIdentity, writePrivate } from "./identity.ts";
import { kubelet } from "./pods/kubelet.ts";
import { LocalPodRunner } from "./pods/processRunner.ts";
import { logServer } from "./pods/serveLog.ts";

export interface SandboxOptions {
  /** Where objects, identity, kubeconfig and the folders of running pods are kept; made when missing. */
  dataDir: string;
  /** Folders that scripts of jobs do not see, beside `dataDir` and the home of the user. */
  hidden?: readonly string[];
  /** Port on 127.0.0.1; a free one when absent. */
  port?: number;
  /** Bearer token; made at the first start and kept when absent. */
  token?: string;
  /** How long a played pod takes to become ready. */
  podDelayMilliseconds?: number;
  log?: (line: string) => void;
}

export interface Sandbox {
  url: string;
  /** YAML text. */
  kubeconfig: string;
  kubeconfigPath: string;
  close(): Promise<void>;
}

/**
 * Starts the sandbox cluster: the Kubernetes API on loopback with the built-in controllers, over a file in `dataDir`.
 * What was there before the last stop, or kill, is there again and its controllers go on. Rejects when the port is
 * taken or the folder cannot be written.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { dataDir, hidden = [], port = 0, podDelayMilliseconds = 400, log = () => {} } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const identity = readIdentity(dataDir, options.token);
  const api = new Api(join(dataDir, "objects.db"));
  const cluster = new Cluster(api);
  furnish(cluster);
  const pods = new LocalPodRunner(cluster, join(dataDir, "pods"), [...hidden, dataDir, homedir()], log);
  const serveLog = logServer(pods, api.store);
  const server = await listen({ api, serveLog, port, log, ...identity });
  const controllers = new ControllerRunner(
    api,
    [
      namespaceController(cluster, identity.certificate),
      garbageCollector(cluster),
      deploymentController(cluster),
      replicaSetController(cluster),
      statefulSetController(cluster),
      daemonSetController(cluster),
      jobController(cluster),
      cronJobController(cluster),
      claimController(cluster),
      customDefinitionController(cluster),
      endpointsController(cluster),
      kubelet(cluster, pods, podDelayMilliseconds),
    ],
    log,
  );
  const url = `https://127.0.0.1:${server.port}`;
  const kubeconfig = kubeconfigText(url, identity);
  const kubeconfigPath = join(dataDir, "kubeconfig");
  writePrivate(kubeconfigPath, kubeconfig);
  const close = async () => {
    await server.close();
    await controllers.close();
    api.store.close();
  };
  return { url, kubeconfig, kubeconfigPath, close };
}

/** A kubeconfig with one context, as YAML that kubectl, helm and the client libraries read. */
function kubeconfigText(url: string, identity: Identity): string {
  const authority = Buffer.from(identity.certificate).toString("base64");
  return `apiVersion: v1
kind: Config
current-context: sandbox
clusters:
- name: sandbox
  cluster:
    server: ${url}
    certificate-authority-data: ${authority}
users:
- name: sandbox
  user:
    token: ${JSON.stringify(identity.token)}
contexts:
- name: sandbox
  context:
    cluster: sandbox
    user: sandbox
`;
}
