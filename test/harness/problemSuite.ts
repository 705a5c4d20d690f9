import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import type { Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

const environments = "/openapi/environments";
const success = '{"message":"success"}';

interface Problem {
  kind: string;
  name: string;
  reason: string;
  message: string;
  since: number;
}

/** A service whose one container is all that can go wrong. */
const deploymentOf = (name: string, container: string, pod = ""): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers: [{ name: main, ${container} }]
      ${pod}
`;

export interface ProblemOptions {
  /** The cluster's scheduler and admission are Kubernetes' own. */
  realControllers: boolean;
  /** A node runs containers of `busybox:1`. */
  realContainers: boolean;
}

/** What the instance of a service that does not run says about why. */
export function problemSuite(cluster: string, can: ProblemOptions, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  const tag = randomBytes(4).toString("hex");
  const namespaces = { dev: `slipway-test-${tag}`, full: `slipway-test-full-${tag}` };
  const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
  const busybox = (command: string, more = "") => `image: "busybox:1", command: [sh, -c, '${command}']${more}`;

  const services: Record<string, string> = {
    good: deploymentOf("good", 'image: "web:1"'),
    missing: deploymentOf("missing", 'image: "reg.io/shop/web:missing"'),
    crash: deploymentOf("crash", 'image: "reg.io/shop/web:crash"'),
    ...(can.realControllers && {
      nowhere: deploymentOf("nowhere", 'image: "web:1"', "nodeSelector: { disk: golden }"),
    }),
    ...(can.realContainers && {
      unset: deploymentOf("unset", `${busybox("sleep 600")}, envFrom: [{ configMapRef: { name: settings } }]`),
      unmounted: deploymentOf(
        "unmounted",
        `${busybox("sleep 600")}, volumeMounts: [{ name: v, mountPath: /v }]`,
        "volumes: [{ name: v, secret: { secretName: login } }]",
      ),
      failing: deploymentOf("failing", busybox("echo reading settings; echo no license; exit 3")),
      deaf: deploymentOf(
        "deaf",
        busybox(
          "sleep 600",
          ", readinessProbe: { exec: { command: [sh, -c, 'echo not yet; exit 1'] }, periodSeconds: 1 }",
        ),
      ),
    }),
  };

  const ask = async (method: string, path: string, body: unknown): Promise<void> => {
    expect((await slipway.call(method, path, { body })).text).toBe(success);
  };

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
    await ask("POST", "/openapi/projects/project", project);
    for (const [service_name, yaml] of Object.entries(services))
      await ask("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name, yaml });
    await ask("POST", `${environments}?projectKey=shop`, {
      ...{ ...place, env_key: "dev", namespace: namespaces.dev },
      services: Object.keys(services).map((service_name) => ({ service_name })),
    });
  });

  afterAll(async () => {
    for (const name of Object.values(namespaces)) await client.remove({ apiVersion: "v1", kind: "Namespace", name });
    client.close();
    await slipway.close();
  });

  const problemsOf = async (service: string, env = "dev"): Promise<Problem[]> => {
    const path = `${environments}/${env}/services/${service}?projectKey=shop&workLoadtype=Deployment`;
    const answer = await slipway.call<{ problems: Problem[] }>("GET", path);
    expect(answer.status, answer.text).toBe(200);
    for (const { since } of answer.json.problems) expect(Math.abs(since - Date.now() / 1000)).toBeLessThan(600);
    return answer.json.problems;
  };

  /** The first problem, which is the cause, once it reads as it should. */
  const cause = async (service: string, wanted: RegExp, env = "dev"): Promise<Problem> => {
    let last: Problem[] = [];
    try {
      return await waitFor(
        `${wanted} of ${service}`,
        async () => {
          last = await problemsOf(service, env);
          return last[0] !== undefined && wanted.test(last[0].message) && last[0];
        },
        60,
      );
    } catch (error) {
      throw new Error(`${(error as Error).message}; there are ${JSON.stringify(last)}`);
    }
  };

  describe(`why something does not run on ${cluster}`, () => {
    test("nothing is said of what runs", async () => {
      await waitFor("good to run", async () => (await problemsOf("good")).length === 0);
    });

    test("an image that cannot be pulled", async () => {
      const found = await cause("missing", /^image reg\.io\/shop\/web:missing of container main cannot be pulled/);
      expect(found).toMatchObject({ kind: "Pod", reason: "ImagePullBackOff" });
    });

    test("a container that crashes", async () => {
      const found = await cause("crash", /^container main ended/);
      expect(found).toMatchObject({ kind: "Pod", reason: "CrashLoopBackOff" });
    });

    test.runIf(can.realControllers)("a pod that no node can take", async () => {
      const found = await cause("nowhere", /^no node can take the pod: 0\/\d+ nodes are available/);
      expect(found).toMatchObject({ kind: "Pod", reason: "Unschedulable" });
    });

    test.runIf(can.realControllers)("a quota that is exceeded", async () => {
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespaces.full } });
      const metadata = { name: "small", namespace: namespaces.full };
      await client.create({ apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard: { pods: "0" } } });
      await ask("POST", `${environments}?projectKey=shop`, {
        ...{ ...place, env_key: "full", namespace: namespaces.full, services: [{ service_name: "good" }] },
      });
      const found = await cause("good", /the quota small of the namespace is exceeded \(requested: pods=1/, "full");
      expect(found).toMatchObject({ kind: "Deployment", name: "good", reason: "FailedCreate" });
    });

    test.runIf(can.realContainers)("a ConfigMap that variables are taken from and that does not exist", async () => {
      const found = await cause("unset", /^container main cannot start: ConfigMap settings does not exist$/);
      expect(found).toMatchObject({ kind: "Pod", reason: "CreateContainerConfigError" });
    });

    test.runIf(can.realContainers)("a Secret that is mounted and does not exist", async () => {
      const found = await cause("unmounted", /^volume v cannot be mounted: Secret login does not exist$/);
      expect(found).toMatchObject({ kind: "Pod", reason: "FailedMount" });
    });

    test.runIf(can.realContainers)("a container that ends, with its exit code and its last lines", async () => {
      const found = await cause("failing", /^container main ended with exit code 3.*reading settings ⏎ no license$/);
      expect(found.kind).toBe("Pod");
    });

    test.runIf(can.realContainers)("a probe that fails, with what it said", async () => {
      const found = await cause("deaf", /^container main is not ready: its readiness probe fails \(not yet\)$/);
      expect(found).toMatchObject({ kind: "Pod", reason: "Unhealthy" });
    });
  });
}
