import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../../infra/local/cluster/start.ts";
import { type RawClient, rawClient } from "./rawClient.ts";

export interface Harness {
  sandbox: Sandbox;
  raw: RawClient;
  config: KubeConfig;
  dataDir: string;
  stop(): Promise<void>;
}

/** A sandbox in a folder of its own, gone with `stop`. */
export async function startHarness(options: Partial<SandboxOptions> = {}): Promise<Harness> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "sandbox-"));
  const sandbox = await startSandbox({ podDelayMilliseconds: 5, ...options, dataDir });
  const config = new KubeConfig();
  config.loadFromString(sandbox.kubeconfig);
  const raw = rawClient(sandbox.kubeconfig);
  const stop = async () => {
    raw.close();
    await sandbox.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { sandbox, raw, config, dataDir, stop };
}

/** Asks again until the answer satisfies; fails with the last answer after ten seconds. */
export async function eventually<T>(ask: () => Promise<T> | T, satisfied: (value: T) => boolean): Promise<T> {
  const end = Date.now() + 10_000;
  for (;;) {
    const value = await ask();
    if (satisfied(value)) return value;
    if (Date.now() > end) throw new Error(`never satisfied; last: ${JSON.stringify(value)?.slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A small valid Deployment. */
export function deployment(name: string, replicas = 1, image = "nginx:1"): Record<string, unknown> {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image }] } },
    },
  };
}

export function configMap(name: string, data: Record<string, string> = {}, labels?: Record<string, string>) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...(labels ? { labels } : {}) }, data };
}
