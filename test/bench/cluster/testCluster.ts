import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dump, load } from "js-yaml";
import type { ClusterClient, KindRef } from "../../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../../shared/kube/client/connect.ts";
import { readOperatorKubeconfig } from "../../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { ClusterNotFound } from "../../../shared/kube/client/errors.ts";
import { waitFor } from "../../harness/waitFor.ts";
import { quick } from "../settings.ts";
import { startDelayProxy } from "./delayProxy.ts";

export interface TestCluster {
  /** Through the proxy. */
  kubeconfig: { text: string; file: string };
  /** Host and port of the proxy, as requests name it. */
  authority: string;
  /** A folder that goes with it. */
  folder: string;
  setDelay(milliseconds: number): Promise<void>;
  /** A name that nobody has; the namespace is removed with `removeNamespaces`, whoever made it. */
  namespaceName(): string;
  makeNamespace(name: string): Promise<void>;
  /** Waits until the cluster's controllers have done what `services` new or changed Services made them do. */
  settle(namespace: string, services: number): Promise<void>;
  removeNamespaces(): Promise<void>;
  close(): Promise<void>;
}

const slices: KindRef = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" };
const endpoints: KindRef = { apiVersion: "v1", kind: "Endpoints" };

/** The cluster of KUBECONFIG behind a proxy that can be slowed; undefined when KUBECONFIG is not set. */
export async function openTestCluster(): Promise<TestCluster | undefined> {
  const found = await readOperatorKubeconfig(process.env);
  if (found === undefined) return undefined;
  const direct = connect({ kind: "kubeconfig", text: found.text, trusted: true });
  const server = new URL(found.server);
  const proxy = await startDelayProxy(server.hostname, Number(server.port || 443));
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  const authority = `127.0.0.1:${proxy.port}`;
  const text = throughProxy(found.text, server, authority);
  const file = join(folder, "kubeconfig");
  writeFileSync(file, text, { mode: 0o600 });
  let made: string[] = [];
  return {
    kubeconfig: { text, file },
    authority,
    folder,
    setDelay: proxy.setDelay,
    namespaceName: () => {
      const name = `slipway-bench-${randomBytes(4).toString("hex")}`;
      made.push(name);
      return name;
    },
    makeNamespace: async (name) => {
      await direct.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    },
    settle: (namespace, services) => settle(direct, namespace, services),
    removeNamespaces: async () => {
      for (const name of made) await direct.remove({ apiVersion: "v1", kind: "Namespace", name });
      if (!quick) for (const name of made) await waitFor(`${name} to be gone`, () => isGone(direct, name), 300);
      made = [];
    },
    close: async () => {
      direct.close();
      await proxy.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The certificate still names the server itself; one that is named by an address must hold 127.0.0.1 too. */
function throughProxy(text: string, server: URL, authority: string): string {
  const config = load(text) as { clusters: { cluster: Record<string, unknown> }[] };
  for (const { cluster } of config.clusters) {
    cluster.server = `${server.protocol}//${authority}`;
    if (isIP(server.hostname) === 0) cluster["tls-server-name"] ??= server.hostname;
  }
  return dump(config);
}

async function settle(client: ClusterClient, namespace: string, services: number): Promise<void> {
  let before = "";
  await waitFor(
    `the controllers to be done with ${namespace}`,
    async () => {
      const lists = await Promise.all(
        [slices, endpoints].map((kind) => client.list(kind, { namespace, metadataOnly: true })),
      );
      const marks = lists.map(({ items }) => items.map(({ metadata }) => metadata.resourceVersion).join());
      const same = before === marks.join(";");
      before = marks.join(";");
      return same && lists.every(({ items }) => items.length >= services);
    },
    120,
  );
}

async function isGone(client: ClusterClient, name: string): Promise<boolean> {
  try {
    await client.get({ apiVersion: "v1", kind: "Namespace", name });
    return false;
  } catch (error) {
    if (error instanceof ClusterNotFound) return true;
    throw error;
  }
}
