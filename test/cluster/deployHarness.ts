import { randomBytes } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import { type ApplyRequest, applyObjects } from "../../shared/kube/apply/applyObjects.ts";
import type { ApplyResult } from "../../shared/kube/apply/applyResult.ts";
import { ensureNamespace } from "../../shared/kube/apply/ensureNamespace.ts";
import { type ApplyScope, prepareObjects } from "../../shared/kube/apply/prepareObjects.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { readClusterFacts } from "../../shared/kube/readClusterFacts.ts";
import type { KubeObject } from "../../shared/manifest/parseManifest.ts";
import { soleOwner } from "../harness/soleOwner.ts";

/** A client for the cluster of KUBECONFIG that counts what it sends, and namespaces that go after the tests. */
export function useCluster() {
  const made: string[] = [];
  const sent: string[] = [];
  let client: ClusterClient | undefined;
  const cluster = {
    get client(): ClusterClient {
      if (client === undefined) throw new Error("the client is there once the tests run");
      return client;
    },
    /** Verbs sent since the last call. */
    takeSent: () => sent.splice(0),
    id: () => randomBytes(12).toString("hex"),
    async namespace(environmentId: string): Promise<string> {
      const namespace = `slipway-test-${randomBytes(4).toString("hex")}`;
      made.push(namespace);
      await ensureNamespace(cluster.client, { namespace, environmentId, projectKey: "shop" });
      return namespace;
    },
  };
  beforeAll(async () => {
    const found = await readOperatorKubeconfig(process.env);
    if (found === undefined) throw new Error("these tests need a Kubernetes API server: set KUBECONFIG");
    const access = { kind: "kubeconfig", text: found.text, trusted: true } as const;
    client = connect(access, { onRequest: ({ verb }) => sent.push(verb) });
  });
  afterAll(async () => {
    for (const name of made) await client?.remove({ apiVersion: "v1", kind: "Namespace", name });
    client?.close();
  });
  return cluster;
}

/** One service of an environment, applied again and again as the platform does: with what the last apply returned. */
export class TestService {
  readonly scope: ApplyScope;
  #client: ClusterClient;
  #result: ApplyResult = { results: [], marks: {}, succeeded: true };
  #objects: KubeObject[] = [];

  constructor(client: ClusterClient, environmentId: string, namespace: string, serviceName = "web") {
    this.#client = client;
    this.scope = {
      environmentId,
      environmentKey: "dev",
      projectKey: "shop",
      serviceName,
      namespace,
      production: false,
    };
  }

  async apply(objects: KubeObject[], options: Partial<ApplyRequest> = {}): Promise<ApplyResult> {
    const facts = await readClusterFacts(this.#client, objects, this.scope.namespace);
    const { objects: prepared, problems } = prepareObjects(objects, this.scope, facts);
    if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join("; "));
    const previous = this.#objects.map(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, name: metadata.name }));
    const result = await applyObjects(this.#client, {
      objects: prepared,
      scope: this.scope,
      previous,
      recorded: this.#result.marks,
      force: true,
      resolveOwner: async () => ({ projectKey: "other", environmentKey: "live" }),
      claims: soleOwner,
      ...options,
    });
    if (options.dryRun !== true) {
      this.#result = result;
      this.#objects = objects;
    }
    return result;
  }
}

/** `Kind/name action`, sorted, for comparison. */
export function actions(result: ApplyResult): string[] {
  return result.results.map(({ ref, action }) => `${ref.kind}/${ref.name} ${action}`).sort();
}

export function configMap(name: string, data: Record<string, string> = {}): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

export function podSpec(image = "busybox:1.37") {
  return { containers: [{ name: "main", image }] };
}

export function deployment(name: string, extra: Record<string, unknown> = {}, image?: string): KubeObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: podSpec(image) };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template, ...extra },
  };
}

export function service(name: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ name: "http", port: 80 }] },
  };
}

/** A job that succeeds; with an image that ends in `:crash` it fails, whether it is played or run. */
export function job(name: string, image = "busybox:1.37", value = "1"): KubeObject {
  const command = [image.endsWith(":crash") ? "false" : "true"];
  const containers = [{ name: "main", image, command, env: [{ name: "VALUE", value }] }];
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: { backoffLimit: 0, template: { spec: { restartPolicy: "Never", containers } } },
  };
}
